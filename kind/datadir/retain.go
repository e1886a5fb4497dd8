package datadir

import (
	"cmp"
	"fmt"
	"slices"
)

// retained says of each tree that is kept without being used why: the newest
// n older than the current one, and all that are newer.
//
// A newer one is there after a rollback, or before an upgrade: in both cases it
// is about to be needed. It goes when a still newer one has become current.
// Older ones are counted by version: two directories of one version, from two
// registries, are one.
//
// A directory that is named after a digest tells no version. Such ones make a
// series of their own, by the time at which they were unpacked, and of that the
// same number stays.
func retained(trees []*Tree, current *Tree, n int) map[*Tree]string {
	kept := map[*Tree]string{}
	if current == nil {
		return kept
	}
	var versioned, dated []*Tree
	for _, t := range trees {
		switch {
		case t == current || t.Flaw != "":
		case t.Version.Known():
			versioned = append(versioned, t)
		default:
			dated = append(dated, t)
		}
	}
	retainByVersion(kept, versioned, current, n)
	retainByTime(kept, dated, current, n)
	return kept
}

func retainByVersion(kept map[*Tree]string, trees []*Tree, current *Tree, n int) {
	slices.SortFunc(trees, func(a, b *Tree) int { return b.Version.Compare(a.Version) })
	older := 0
	for i, t := range trees {
		if current.Version.Known() {
			switch c := t.Version.Compare(current.Version); {
			case c > 0:
				kept[t] = fmt.Sprintf("it is newer than the current %s: kept for the next upgrade, or the one that was rolled back", current.label())
				continue
			case c == 0:
				kept[t] = "it is the current version too, from another registry"
				continue
			}
		}
		if i == 0 || older == 0 || t.Version.Compare(trees[i-1].Version) != 0 {
			older++
		}
		if older <= n {
			kept[t] = retainWords(n)
		}
	}
}

func retainByTime(kept map[*Tree]string, trees []*Tree, current *Tree, n int) {
	slices.SortFunc(trees, func(a, b *Tree) int {
		return cmp.Or(b.Newest.Compare(a.Newest), cmp.Compare(a.Name, b.Name))
	})
	older := 0
	for _, t := range trees {
		if !current.Version.Known() && t.Newest.After(current.Newest) {
			kept[t] = "it was unpacked after the current one: kept for the next upgrade, or the one that was rolled back"
			continue
		}
		if older++; older <= n {
			kept[t] = retainWords(n)
		}
	}
}

func retainWords(n int) string {
	return fmt.Sprintf("it is among the newest %d (retain: %d older)", n+1, n)
}
