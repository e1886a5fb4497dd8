package config

import (
	"errors"
	"fmt"
	"hash/maphash"
	"path"
	"strings"

	"github.com/hostgc/hostgc"
)

// Keeper says what the operator's patterns keep. It serves one pass.
//
// A delegates file names no pod and, when torn, no network. So once a pattern
// of pods or networks has kept one object of a sandbox, what is seen of that
// sandbox later is kept too, and results are seen before delegates.
type Keeper struct {
	patterns  []string
	seed      maphash.Seed
	sandboxes map[uint64]string // by hash, 8 bytes for an ID of 64: a clash only keeps more
}

// Keeper gives the keeper of the patterns of the configuration.
func (c Config) Keeper() *Keeper {
	return &Keeper{patterns: c.Keep, seed: maphash.MakeSeed(), sandboxes: map[uint64]string{}}
}

// Keep says in words which pattern keeps an object, or nothing.
func (k *Keeper) Keep(o hostgc.Object) string {
	if len(k.patterns) == 0 {
		return ""
	}
	sandbox := maphash.String(k.seed, o.Owner.Sandbox)
	for _, p := range k.patterns {
		if !matches(p, o) {
			continue
		}
		if o.Owner.Sandbox != "" && !isPath(p) {
			k.sandboxes[sandbox] = p
		}
		return fmt.Sprintf("kept by the configuration (keep: %q)", p)
	}
	if p, ok := k.sandboxes[sandbox]; ok {
		return fmt.Sprintf("kept by the configuration (keep: %q, which keeps another file of its sandbox)", p)
	}
	return ""
}

func isPath(pattern string) bool { return strings.HasPrefix(pattern, "/") }

// matches tries a pattern on the one thing that its shape is meant for: /path,
// namespace/pod or network.
func matches(pattern string, o hostgc.Object) bool {
	switch {
	case isPath(pattern):
		return above(pattern, o.Path())
	case strings.Contains(pattern, "/"):
		return o.Owner.Pod != "" && glob(pattern, o.Owner.Namespace+"/"+o.Owner.Pod)
	default:
		return anyOf(pattern, o.Owner.Network)
	}
}

// anyOf tries a pattern on each network of a delegates file.
func anyOf(pattern, networks string) bool {
	for n := range strings.SplitSeq(networks, ",") {
		if n != "" && glob(pattern, n) {
			return true
		}
	}
	return false
}

// above reports whether a pattern names the path or a directory above it.
func above(pattern, file string) bool {
	for ; file != "/"; file = path.Dir(file) {
		if glob(pattern, file) {
			return true
		}
	}
	return false
}

func glob(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // the error is that of a bad pattern, which is refused
	return ok
}

func checkKeep(patterns []string) error {
	var errs []error
	for i, p := range patterns {
		why := ""
		if _, err := path.Match(p, ""); err != nil {
			why = "a bracket or backslash in it has no end"
		}
		switch {
		case p == "", p == "/":
			why = "it is empty"
		case isPath(p) && path.Clean(p) != p:
			why = "it is a path with //, /./, /../ or a slash at its end, which no object has"
		case !isPath(p) && strings.Count(p, "/") > 1:
			why = "it is neither an absolute path nor namespace/pod nor a network"
		}
		if why != "" {
			errs = append(errs, fmt.Errorf("keep[%d]: %q keeps nothing: %s", i, p, why))
		}
	}
	return errors.Join(errs...)
}
