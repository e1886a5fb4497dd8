package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// The targets beside the ratios.
const (
	maxPeak    = 64 << 20
	maxGrowth  = 20 << 20 // from the smallest size to the largest
	maxPerFile = 1.2      // the cost of a file at the largest size in times of that at the next smaller
)

// header writes what stands above the rows.
func header(w io.Writer, base result) {
	fmt.Fprintf(w, "hostgc's start and one hearing: %s; the floor's start: %s\n\n",
		base.hostgc.wall.Round(time.Millisecond/10), base.floor.wall.Round(time.Millisecond/10))
	fmt.Fprintf(w, "%-10s %8s %-5s %9s %9s %7s %6s %6s %-5s %6s %9s %9s %7s  %s\n", "WHAT", "N", "CACHE", "HOSTGC", "FLOOR",
		"ORDER", "RATIO", "TARGET", "HOLDS", "LESS", "CPU", "CPU FLOOR", "PEAK", "REQUESTS")
	fmt.Fprintf(w, "%-10s %8s %-5s %9s %9s %7s %6s %6s %-5s %6s %9s %9s %7s\n", "", "", "", "us/file", "us/file",
		"", "", "", "", "START", "us/file", "us/file", "MiB")
}

// row writes a result as soon as it is known: a million files take an hour.
func row(w io.Writer, base, r result) {
	less := float64(r.hostgc.wall-base.hostgc.wall) / float64(r.floor.wall-base.floor.wall)
	fmt.Fprintf(w, "%-10s %8d %-5s %9.2f %9.2f %7s %6.2f %6.1f %-5s %6.2f %9.2f %9.2f %7.1f  %s\n", r.scenario.name, r.n, r.cache,
		perFile(r.hostgc.wall, r.n), perFile(r.floor.wall, r.n), r.order, r.ratio(), r.scenario.target,
		yes(r.ratio() <= r.scenario.target), less, perFile(r.hostgc.cpu, r.n), perFile(r.floor.cpu, r.n),
		float64(r.hostgc.peak)/(1<<20), counts(r.hostgc.asked))
}

// targets says whether those hold that no single row shows.
func targets(w io.Writer, results []result) {
	fmt.Fprintln(w)
	memory(w, results)
	growth(w, results)
}

func perFile(d time.Duration, n int) float64 { return float64(d.Nanoseconds()) / 1000 / float64(n) }

func yes(holds bool) string {
	if holds {
		return "yes"
	}
	return "NO"
}

func counts(asked map[string]int) string {
	var out []string
	for _, what := range slices.Sorted(maps.Keys(asked)) {
		out = append(out, fmt.Sprintf("%s %d", what, asked[what]))
	}
	return strings.Join(out, ", ")
}

// memory says whether the peak is bounded, and constant.
func memory(w io.Writer, results []result) {
	peak := map[int]int64{} // by size
	for _, r := range results {
		peak[r.n] = max(peak[r.n], r.hostgc.peak)
	}
	sizes := slices.Sorted(maps.Keys(peak))
	least, most := peak[sizes[0]], peak[sizes[len(sizes)-1]]
	fmt.Fprintf(w, "peak memory at %d files: %.1f MiB, target %d MiB: %s\n",
		sizes[len(sizes)-1], float64(most)/(1<<20), maxPeak>>20, yes(most <= maxPeak))
	if len(sizes) > 1 {
		fmt.Fprintf(w, "more than at %d files: %.1f MiB, target %d MiB: %s\n",
			sizes[0], float64(most-least)/(1<<20), maxGrowth>>20, yes(most-least <= maxGrowth))
	}
}

// growth says whether the cost of a file grows more than the floor's does.
func growth(w io.Writer, results []result) {
	for _, large := range results {
		for _, small := range results {
			if small.scenario.name != large.scenario.name || small.cache != large.cache || small.n*10 != large.n || small.n < 100_000 {
				continue
			}
			ours := perFile(large.hostgc.wall, large.n) / perFile(small.hostgc.wall, small.n)
			floor := perFile(large.floor.wall, large.n) / perFile(small.floor.wall, small.n)
			fmt.Fprintf(w, "%s %s: a file at %d costs %.2f times that at %d (the floor: %.2f), target %.1f: %s\n", large.scenario.name, large.cache,
				large.n, ours, small.n, floor, maxPerFile, yes(ours <= maxPerFile*max(1, floor)))
		}
	}
}

// judge fails where a ratio is too far above its target.
func judge(results []result, limit float64) error {
	var errs []error
	for _, r := range results {
		if limit > 0 && r.ratio() > limit*r.scenario.target {
			errs = append(errs, fmt.Errorf("%s of %d files, %s: %.2f times the floor, which is more than %g times the target of %.1f", r.scenario.name, r.n, r.cache, r.ratio(), limit, r.scenario.target))
		}
	}
	return errors.Join(errs...)
}
