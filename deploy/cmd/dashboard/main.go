// Command dashboard prints hostgc's Grafana dashboard.
package main

import (
	"fmt"
	"os"

	"github.com/hostgc/hostgc/deploy/dashboard"
)

func main() {
	b, err := dashboard.Generate()
	if err == nil {
		_, err = os.Stdout.Write(b)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dashboard:", err)
		os.Exit(1)
	}
}
