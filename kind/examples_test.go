package kind_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/discover"
	"github.com/hostgc/hostgc/kind"
)

// TestExamples judges each node in testdata and compares with what the example
// says must become of every file in the directories of the kinds.
func TestExamples(t *testing.T) {
	for _, file := range examples(t) {
		t.Run(strings.TrimPrefix(file, "testdata/"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			n := parseNode(t, text)
			decisions := n.judge(t)
			var got, want []string
			for _, d := range decisions {
				got = append(got, line(d))
			}
			for _, e := range n.expect {
				e, says, _ := strings.Cut(e, " # ")
				want = append(want, e)
				if says != "" {
					checkSays(t, decisions, e, says)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what must become of the node (-) and what did (+):\n%s", diff)
			}
		})
	}
}

// checkSays looks for a part of the text with which an object was kept.
func checkSays(t *testing.T, decisions []hostgc.Decision, expected, says string) {
	t.Helper()
	for _, d := range decisions {
		if line(d) == expected && !strings.Contains(d.Because[0].Text, says) {
			t.Errorf("%s\nsays %q\nwant %q", expected, d.Because[0].Text, says)
		}
	}
}

func examples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no example found: %v", err)
	}
	return files
}

// TestEveryKindHasExamples holds that each kind is shown in each of the ways in
// which a file can end.
func TestEveryKindHasExamples(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range examples(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range parseNode(t, text).expect {
			words := strings.Fields(e)
			seen[words[1]+" "+words[0]] = true
			seen[words[1]+" "+words[2]] = true
		}
	}
	for _, k := range kind.All(discover.Layout{}) {
		for _, way := range []string{
			"live", "young", "unknown", "garbage",
			hostgc.RuleOutside, hostgc.RuleFlawed, hostgc.CausePowerLoss, hostgc.CauseUnknownToCRI,
		} {
			if !seen[k.Name+" "+way] {
				t.Errorf("no example shows %s of %s", way, k.Name)
			}
		}
	}
}

func TestKindsAreComplete(t *testing.T) {
	layout := discover.Layout{
		CNIResults: []string{"/a/1"}, MultusResults: []string{"/a/2"},
		MultusDirs: []string{"/a/3"}, FlannelDirs: []string{"/a/4"},
	}
	want := []struct{ name, dir string }{
		{"cni-results", "/a/1"}, {"multus-results", "/a/2"},
		{"multus-delegates", "/a/3"}, {"flannel-delegates", "/a/4"},
	}
	kinds := kind.All(layout)
	if len(kinds) != len(want) {
		t.Fatalf("%d kinds, want %d", len(kinds), len(want))
	}
	for i, k := range kinds {
		if k.Name != want[i].name || !slices.Equal(k.Dirs, []string{want[i].dir}) {
			t.Errorf("kind %d is %s in %v, want %v", i, k.Name, k.Dirs, want[i])
		}
		if k.EmptyBlocks != (k.Name == "cni-results") {
			t.Errorf("%s: an empty entry blocks the DEL: %v", k.Name, k.EmptyBlocks)
		}
		if k.Mode != hostgc.ModeEnforce || k.Age != hostgc.DefaultAge || k.Doc == "" || k.Names == "" {
			t.Errorf("%s: mode %q, age %s, doc %q, names %q", k.Name, k.Mode, k.Age, k.Doc, k.Names)
		}
	}
}
