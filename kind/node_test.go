package kind_test

import (
	"encoding/base64"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/discover"
	"github.com/hostgc/hostgc/kind"
)

// node is a node in a file: what is on its disk and what its witnesses say.
// testdata/README.md explains the format.
type node struct {
	files  fstest.MapFS
	terms  hostgc.Terms
	alive  []hostgc.Claim
	mute   map[string]string // why a witness is mute
	expect []string
}

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// ordinary is the age of a file of which nothing is said.
const ordinary = 26 * time.Hour

func parseNode(t *testing.T, text []byte) *node {
	t.Helper()
	n := &node{
		files: fstest.MapFS{},
		mute:  map[string]string{},
		terms: hostgc.Terms{Now: now, Boot: now.Add(-30 * 24 * time.Hour), Uptime: 30 * 24 * time.Hour},
	}
	var lines []string
	for _, f := range txtar.Parse([]byte(expand(t, string(text)))).Files {
		switch f.Name {
		case "node":
			lines = split(f.Data)
		case "expect":
			n.expect = split(f.Data)
		default:
			n.files[f.Name] = &fstest.MapFile{
				Data: []byte(strings.TrimSuffix(string(f.Data), "\n")), ModTime: now.Add(-ordinary),
			}
		}
	}
	for _, line := range lines {
		n.take(t, strings.Fields(line))
	}
	return n
}

// expand replaces the short forms: <a*64> is 64 times a, <nul*8> is 8 NUL
// bytes, and base64(...) is what stands in the parentheses in base64.
func expand(t *testing.T, text string) string {
	t.Helper()
	text = regexp.MustCompile(`<(\w+)\*(\d+)>`).ReplaceAllStringFunc(text, func(s string) string {
		what, count, _ := strings.Cut(strings.Trim(s, "<>"), "*")
		times, err := strconv.Atoi(count)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Repeat(strings.ReplaceAll(what, "nul", "\x00"), times)
	})
	return regexp.MustCompile(`base64\(([^)]*)\)`).ReplaceAllStringFunc(text, func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte(s[len("base64(") : len(s)-1]))
	})
}

func split(data []byte) []string {
	var lines []string
	for line := range strings.Lines(string(data)) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func (n *node) take(t *testing.T, words []string) {
	t.Helper()
	switch words[0] {
	case "sandbox":
		c := hostgc.Claim{Witness: "cri", Ref: hostgc.Ref{Space: hostgc.SpaceSandbox, Key: words[1]}, State: hostgc.State(words[2])}
		n.alive = append(n.alive, c)
	case "netns":
		n.alive = append(n.alive, hostgc.Claim{Witness: "proc", Ref: hostgc.Ref{Space: hostgc.SpaceNetns, Key: words[1]}})
	case "pod":
		n.alive = append(n.alive, hostgc.Claim{Witness: "kubeapi", Ref: hostgc.Ref{Space: hostgc.SpacePod, Key: words[1]}})
	case "mute":
		n.mute[words[1]] = "it does not answer"
	case "boot", "age":
		ago, err := time.ParseDuration(words[1])
		if err != nil {
			t.Fatal(err)
		}
		if words[0] == "boot" {
			n.terms.Boot, n.terms.Uptime = now.Add(-ago), ago
			return
		}
		f := n.files[words[2]]
		if f == nil {
			t.Fatalf("age of %s: there is no such file", words[2])
		}
		f.ModTime = now.Add(-ago)
	default:
		t.Fatalf("unknown line in node: %s", strings.Join(words, " "))
	}
}

func (n *node) testimonies() []hostgc.Testimony {
	all := []hostgc.Testimony{
		{Witness: "cri", Speaks: []hostgc.Space{hostgc.SpaceSandbox}, Knows: []hostgc.Space{hostgc.SpaceSandbox}},
		{Witness: "proc", Speaks: []hostgc.Space{hostgc.SpaceNetns}},
		{Witness: "kubeapi"},
	}
	for i := range all {
		t := &all[i]
		t.Err = n.mute[t.Witness]
		for _, c := range n.alive {
			if c.Witness == t.Witness {
				t.Claims = append(t.Claims, c)
			}
		}
	}
	return all
}

// judge lists and judges the objects of all kinds, as observe does.
func (n *node) judge(t *testing.T) []hostgc.Decision {
	t.Helper()
	layout, err := discover.Find(n.files, nil)
	if err != nil {
		t.Fatal(err)
	}
	kinds := kind.All(layout)
	bench := &hostgc.Bench{Index: hostgc.NewIndex(n.testimonies()), Terms: n.terms, Controls: n.controls(kinds)}
	var decisions []hostgc.Decision
	for _, k := range kinds {
		for _, dir := range k.Dirs {
			for _, name := range n.list(dir) {
				decisions = append(decisions, n.one(bench, &k, dir, name))
			}
		}
	}
	return decisions
}

func (n *node) one(b *hostgc.Bench, k *hostgc.Kind, dir, name string) hostgc.Decision {
	f := n.files[path.Join(dir[1:], name)]
	o := hostgc.Object{Kind: k.Name, Dir: dir, Name: name, ID: hostgc.Identity{Mtime: f.ModTime, Ctime: f.ModTime}}
	if ref, ok := k.Owner(name); ok {
		o.Refs = []hostgc.Ref{ref}
		o.Owner.Sandbox = ref.Key
		if _, alive := b.Index.Alive(ref); !alive {
			k.Inspect(&o, f.Data)
		}
	}
	d := b.Judge(k, o)
	if d.Verdict == hostgc.Garbage {
		d.Object.Cause = k.Cause(o, f.Data, func(rel string) bool {
			_, err := n.files.Stat(path.Join(dir[1:], rel))
			return err == nil
		})
	}
	return d
}

// list gives the names of the files directly in a directory.
func (n *node) list(dir string) []string {
	entries, _ := n.files.ReadDir(dir[1:]) // a directory that is not there is empty
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

func (n *node) controls(kinds []hostgc.Kind) map[string]hostgc.Control {
	ready := map[string]bool{}
	listed := 0
	for _, c := range n.alive {
		if c.Ref.Space == hostgc.SpaceSandbox {
			listed++
			if c.State == hostgc.StateReady {
				ready[c.Ref.Key] = true
			}
		}
	}
	controls := map[string]hostgc.Control{}
	for _, k := range kinds {
		for _, dir := range k.Dirs {
			c := hostgc.Control{Listed: listed, Ready: len(ready), Elsewhere: len(ready) > 0}
			for _, name := range n.list(dir) {
				if ref, ok := k.Owner(name); ok && ready[ref.Key] {
					c.Here = true
				}
			}
			controls[dir] = c
		}
	}
	return controls
}

// line renders a decision as a line of expect: verdict, kind, then the cause of
// garbage or else the rule that kept it, then the path below the root.
func line(d hostgc.Decision) string {
	why := d.Rule()
	if d.Verdict == hostgc.Garbage {
		why = d.Object.Cause
	}
	return fmt.Sprintf("%s %s %s %s", d.Verdict, d.Object.Kind, why, d.Object.Path()[1:])
}
