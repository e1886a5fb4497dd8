package main

import (
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version is set by the build (-ldflags -X main.version=…).
var version = "development"

// app is what the commands share.
type app struct {
	flags   flags
	stdout  io.Writer
	console *console
	log     *slog.Logger
}

func newRoot(stdout io.Writer, console *console) *cobra.Command {
	a := &app{stdout: stdout, console: console}
	root := &cobra.Command{
		Use:   "hostgc",
		Short: "Find, explain and remove stale host state of a Kubernetes node",
		Long: `hostgc is a garbage collector for the host state of Kubernetes nodes: files that
CNI plugins and container runtimes leave behind, until a node runs out of inodes
or IP addresses. It says of each why it is garbage and why it leaked, and removes
nothing that anything alive needs. In doubt it keeps, and says why.

Begin with:  hostgc check    can hostgc judge on this node?
             hostgc scan     what is garbage here? (removes nothing)
             hostgc sweep    remove it

Exit codes: 0 done; 1 failed; 2 wrong usage or configuration; 3 something could
not be judged, because a needed witness was mute or the positive control failed
(nothing of it was removed).`,
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.startLog() },
		Args:              noArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(stdout)
	root.SetErr(console)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	a.flags.register(root.PersistentFlags())
	root.AddCommand(a.scan(), a.explain(), a.sweep(), a.run(), a.observe(), a.listKinds(), a.check(), a.printVersion())
	return root
}

func (a *app) startLog() error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.flags.logLevel)); err != nil {
		return usagef("--log-level %q: use debug, info, warn or error", a.flags.logLevel)
	}
	opts := &slog.HandlerOptions{Level: level}
	switch a.flags.logFormat {
	case "text":
		a.log = slog.New(slog.NewTextHandler(a.console, opts))
	case "json":
		a.log = slog.New(slog.NewJSONHandler(a.console, opts))
	default:
		return usagef("--log-format %q: use text or json", a.flags.logFormat)
	}
	return nil
}

// noArgs is cobra.NoArgs with the exit code of wrong usage.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no argument %q; see %s --help", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	return nil
}

func (a *app) printVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, "hostgc", version, revision())
			return err
		},
	}
}

// revision is what the Go tool noted of the checkout that was built.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	parts := []string{info.GoVersion}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			parts = append(parts, s.Value)
		}
	}
	return strings.Join(parts, " ")
}
