package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func (a *app) listKinds() *cobra.Command {
	return &cobra.Command{
		Use: "kinds", Short: "List the kinds of garbage, their modes and their directories on this node", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			h, err := open(&a.flags, a.log)
			if err != nil {
				return err
			}
			defer h.Close()
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, k := range h.allKinds() {
				fmt.Fprintf(w, "%s\t%s\tminimum age %s\n\t%s\n\tnames: %s\n\tin: %s\n", k.Name, k.Mode, k.Age, k.Doc, k.Names, strings.Join(h.present(k.Name), ", "))
			}
			return w.Flush()
		},
	}
}

// present gives the directories of a kind, and says of each that is not there.
func (h *host) present(kind string) []string {
	there := map[string]bool{}
	for _, p := range h.node.Places {
		there[p.Dir.Path()] = true
	}
	var dirs []string
	for _, k := range h.allKinds() {
		if k.Name != kind {
			continue
		}
		for _, d := range k.Dirs {
			if !there[d] {
				d += " (not there)"
			}
			dirs = append(dirs, d)
		}
	}
	return dirs
}
