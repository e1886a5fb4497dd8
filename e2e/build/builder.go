package build

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// errUnavailable: a module could not be had, which says nothing about hostgc.
var errUnavailable = errors.New("not to be had from the Go module proxy")

type builder struct {
	Tools
	out io.Writer // progress
}

// Run makes the programs that are missing, of the recipes named or of all. What cannot be had is said loudly
// on out, with the proof that will be missing, and is no error: the tests that
// need it are skipped with the same words. A program that does not compile is.
func Run(t Tools, out io.Writer, names ...string) error {
	b := &builder{t, out}
	if err := b.packages(); err != nil {
		return err
	}
	var failed error
	for _, r := range t.list {
		if len(names) > 0 && !slices.Contains(names, r.name) {
			continue
		}
		if r.version != "source" && !t.missing(r) {
			fmt.Fprintf(out, "e2e: have  %s %s\n", r.name, r.version)
			continue
		}
		fmt.Fprintf(out, "e2e: build %s %s …\n", r.name, r.version)
		start := time.Now()
		err := r.how(b, r)
		switch {
		case errors.Is(err, errUnavailable):
			fmt.Fprintf(out, "e2e: !!!!!! MISSING: %s %s is %v: no %s !!!!!!\n", r.name, r.version, err, r.proof)
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("build %s %s: %w", r.name, r.version, err))
		default:
			fmt.Fprintf(out, "e2e: built %s %s in %s\n", r.name, r.version, time.Since(start).Round(time.Second))
		}
	}
	return failed
}

// run runs a command in a directory and gives its standard output.
func (b *builder) run(dir string, env []string, argv ...string) ([]byte, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, stderr.String())
	}
	return out, nil
}

// install builds packages and puts the programs into the recipe's directory
// all at once, so that an interrupted build leaves no half of it.
func (b *builder) install(r recipe, build func(into string) error) error {
	if err := os.MkdirAll(b.Bin, 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(b.Bin, ".building-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if err := os.Chmod(scratch, 0o755); err != nil {
		return err
	}
	if err := build(scratch); err != nil {
		return err
	}
	for i, name := range r.names() { // Go names a program after its package: "v3"
		built := filepath.Join(scratch, programOf(r.packages()[i]))
		if err := os.Rename(built, filepath.Join(scratch, name)); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(b.dir(r)); err != nil {
		return err
	}
	return os.Rename(scratch, b.dir(r))
}
