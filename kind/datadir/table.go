package datadir

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/docker/go-units"

	"github.com/hostgc/hostgc"
)

// Table writes rows for a person on a terminal: the versions with their size,
// what keeps each, what frees it, and which pods to delete for how much.
func Table(w io.Writer, rows []Row) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-32s %9s  %-8s %s\n", "VERSION", "SIZE", "VERDICT", "KEPT BY")
	var free int64
	for _, r := range rows {
		if r.Verdict == hostgc.Garbage {
			free += r.Bytes
		}
		name := cmp.Or(r.Version, r.Name)
		if r.Current {
			name += " (current)"
		}
		fmt.Fprintf(&b, "%-32s %9s  %-8s %s\n", cut(name, 32), megabytes(r.Bytes), r.Verdict, summary(r))
		if r.FreedIf != "" {
			fmt.Fprintf(&b, "%-32s %9s  %-8s freed if %s\n", "", "", "", r.FreedIf)
		}
	}
	fmt.Fprintf(&b, "\n%s free\n", megabytes(free))
	for _, line := range Restarts(rows) {
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// summary counts what keeps a directory: "2 pods, processes, links".
func summary(r Row) string {
	if r.Verdict == hostgc.Garbage || len(r.KeptBy) == 0 {
		return "nothing"
	}
	var parts []string
	if len(r.Pods) > 0 {
		parts = append(parts, count(len(r.Pods), "pod"))
	}
	seen := map[string]bool{}
	for _, line := range r.KeptBy {
		source, _, _ := strings.Cut(line, ": ")
		if !seen[source] {
			seen[source] = true
			parts = append(parts, source)
		}
	}
	return strings.Join(parts, ", ")
}

func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[:n-1] + "…"
}

func megabytes(n int64) string {
	return units.CustomSize("%.4g %s", float64(n), 1024, []string{"B", "KiB", "MiB", "GiB", "TiB"})
}
