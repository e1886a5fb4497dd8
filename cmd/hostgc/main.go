// Command hostgc finds, explains and removes stale host state of a Kubernetes
// node.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // something went wrong
	exitUsage  = 2 // wrong usage or configuration
	exitBlind  = 3 // something could not be judged, and nothing of it was removed
)

func main() {
	if os.Getenv("GOGC") == "" {
		// With Go's 100, a scan of a million files peaks 6 MiB higher, and of ten
		// thousand takes a tenth less: hostgc is a guest on the node.
		debug.SetGCPercent(50)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and gives the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cmd := newRoot(stdout, newConsole(stderr))
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	var coded *codedError
	if !errors.As(err, &coded) {
		coded = &codedError{exitFailed, err}
	}
	if coded.err != nil {
		fmt.Fprintln(stderr, "hostgc:", coded.err)
	}
	return coded.code
}

// codedError ends the process with a code. Without an error, everything was
// already said.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *codedError) Unwrap() error { return e.err }

func usage(err error) error { return &codedError{exitUsage, err} }

func usagef(format string, a ...any) error { return usage(fmt.Errorf(format, a...)) }
