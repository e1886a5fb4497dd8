// Floor does what no collector can do without, and nothing else: it lists
// directories (getdents64), reads what has to be read (openat, fstat, read,
// close), and removes what has to go (unlinkat). What hostgc takes longer, it
// spends on judging.
//
// It parses, checks and keeps nothing, and calls the kernel with the names in
// place, so that it allocates nothing for a file either. Never point it at a
// directory that matters.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
)

func main() {
	inodes := flag.Bool("inodes", false, "handle each batch in the order of the inodes, and not in that of the directory")
	live := flag.String("live", "", "a `FILE` with one sandbox ID a line: its entries are listed, and neither read nor removed")
	flag.Parse()
	if err := run(flag.Arg(0), flag.Args()[min(1, flag.NArg()):], *live, *inodes); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

// run makes the passes that a mode is made of. sweep is what hostgc sweep
// cannot do without: two looks, and the removal in the second.
func run(mode string, dirs []string, live string, inodes bool) error {
	keep, err := ids(live)
	if err != nil {
		return err
	}
	passes, ok := map[string][]pass{
		"list":  {{}},
		"read":  {{read: true}},
		"sweep": {{read: true}, {read: true, unlink: true}},
	}[mode]
	if !ok || len(dirs) == 0 {
		return fmt.Errorf("wrong usage: floor [-inodes] [-live FILE] list|read|sweep DIR")
	}
	for _, p := range passes {
		p.live, p.inodes = keep, inodes
		for _, dir := range dirs {
			if err := p.directory(dir); err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
		}
		fmt.Printf("listed %d, read %d (%d bytes), unlinked %d\n", p.listed, p.files, p.bytes, p.unlinked)
	}
	return nil
}

func ids(file string) (map[string]struct{}, error) {
	out := map[string]struct{}{}
	if file == "" {
		return out, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		out[lines.Text()] = struct{}{}
	}
	return out, lines.Err()
}
