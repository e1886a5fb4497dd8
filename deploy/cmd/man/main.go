// Command man prints hostgc's manual page, by asking the program given for its
// help:
//
//	man bin/hostgc v1.2.3 > hostgc.8
package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/hostgc/hostgc/deploy/man"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: man PROGRAM VERSION")
	}
	page, err := man.Page(args[1], func(ask ...string) (string, error) {
		out, err := exec.Command(args[0], ask...).Output()
		return string(out), err
	})
	fmt.Print(page)
	return err
}
