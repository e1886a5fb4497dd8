package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostgc/hostgc/observe"
	"github.com/hostgc/hostgc/report"
)

func (a *app) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain PATH...",
		Short: "Tell the whole story of an object: whose it was, each rule, each witness, the cause, the cure",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("explain needs the path of a file, as hostgc scan -v lists them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := open(&a.flags, a.log)
			if err != nil {
				return err
			}
			defer h.Close()
			for i, file := range args {
				x, err := h.node.Explain(cmd.Context(), h.hostPath(file))
				if errors.Is(err, observe.ErrNoPlace) || errors.Is(err, fs.ErrNotExist) {
					return usage(err)
				}
				if err != nil {
					return stopped(err)
				}
				if err := a.tell(x, h, i); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (a *app) tell(x observe.Explanation, h *host, i int) error {
	if a.flags.output != "table" {
		return json.NewEncoder(a.stdout).Encode(report.NewStory(x))
	}
	if i > 0 {
		if _, err := a.stdout.Write([]byte("\n")); err != nil {
			return err
		}
	}
	return report.Story(a.stdout, x, h.modes[x.Kind.Name])
}

// hostPath takes a path on the host, or the same below --root, as a shell
// completes it.
func (h *host) hostPath(file string) string {
	root := filepath.Clean(h.flags.root)
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	if rest, below := strings.CutPrefix(file, root+"/"); below && root != "/" {
		return "/" + rest
	}
	return file
}
