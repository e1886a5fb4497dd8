package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hostgc/hostgc/observe"
)

func (a *app) observe() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "observe -o FILE",
		Short: "Write everything that the judge would see to a file: a bug report that replays",
		Long: `observe writes every object and everything that each witness said, as JSON lines.
hostgc scan --from FILE judges it anew, on any machine. It holds names of pods,
networks and IP addresses, and no content of files.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return usagef("observe needs -o FILE: where to write")
			}
			return a.record(cmd.Context(), file)
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "`FILE` to write")
	return cmd
}

func (a *app) record(ctx context.Context, file string) (err error) {
	h, err := open(&a.flags, a.log)
	if err != nil {
		return err
	}
	defer h.Close()
	// Who may read it learns of every pod on the node.
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r, err := observe.NewRecorder(f, observe.Header{Version: version, Node: h.node.Name, At: h.at})
	if err != nil {
		return fmt.Errorf("writing the recording %s: %w", file, err)
	}
	if err := h.node.Pass(ctx, r); err != nil {
		return stopped(err)
	}
	if err := r.Flush(); err != nil {
		return fmt.Errorf("writing the recording %s: %w", file, err)
	}
	a.log.Info("recorded", "file", file, "next", "hostgc scan --from "+file)
	return nil
}
