// Command build makes the programs of the end-to-end bed, all or those
// whose recipes are named: `make -C e2e tools`.
package main

import (
	"fmt"
	"os"

	"github.com/hostgc/hostgc/e2e/build"
)

func main() {
	tools := build.Locate()
	fmt.Println("e2e: the programs are kept in", tools.Cache)
	if err := build.Run(tools, os.Stdout, os.Args[1:]...); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}
