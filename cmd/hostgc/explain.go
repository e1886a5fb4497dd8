package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostgc/hostgc/kind/datadir"
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
				told, err := a.tellTree(cmd.Context(), h, h.hostPath(file))
				if err != nil {
					return stopped(err)
				}
				if told {
					continue
				}
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

// tellTree explains a versioned data directory, if the path is one.
func (a *app) tellTree(ctx context.Context, h *host, file string) (told bool, err error) {
	if len(h.treeKinds) == 0 || slices.ContainsFunc(h.node.Places, func(p observe.Place) bool { return p.Dir.Path() == path.Dir(file) }) {
		return false, nil
	}
	forests, err := h.forests(ctx)
	if err != nil {
		return false, err
	}
	for _, f := range forests {
		if f.dir() != path.Dir(file) {
			continue
		}
		v, err := datadir.Look(ctx, f.product, f.dataDir, h.treeOptions(f))
		if err != nil {
			return true, err
		}
		return true, a.writeTree(v, file)
	}
	return false, nil
}

func (a *app) writeTree(v datadir.View, file string) error {
	lines, err := v.Explain(file)
	if err != nil {
		return usage(err)
	}
	d, _ := v.Decision(path.Base(file))
	if a.flags.output != "table" {
		return json.NewEncoder(a.stdout).Encode(map[string]any{
			"path": file, "verdict": d.Verdict, "keptBy": lines, "rules": v.Trail(path.Base(file)), "witnesses": report.Witnesses(v.Hearing)})
	}
	return report.TreeStory(a.stdout, d, v.Trail(path.Base(file)), lines, v.Hearing)
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
