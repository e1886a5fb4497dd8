package pages

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc/config"
	"github.com/hostgc/hostgc/discover"
	"github.com/hostgc/hostgc/kind"
	"github.com/hostgc/hostgc/kind/k3sdata"
	"github.com/hostgc/hostgc/kind/rke2data"
)

const (
	docs       = "../../docs/"
	begin, end = "written by go test ./pages -update -->\n", "<!-- end -->\n"
)

var update = flag.Bool("update", false, "write the generated parts anew")

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The generated parts are what the program says now.
func TestGeneratedParts(t *testing.T) {
	for name, generate := range map[string]func() (string, error){
		"configure.md": func() (string, error) { return Table("../../config") },
		"faq.md":       func() (string, error) { return Causes("../..") },
	} {
		want, err := generate()
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := strings.Cut(read(t, docs+name), begin)
		old, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has lost the marks between which the generated part stands", name)
		}
		if *update {
			if err := os.WriteFile(docs+name, []byte(before+begin+want+end+after), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(want, old); diff != "" {
			t.Errorf("%s: go test ./pages -update\n%s", name, diff)
		}
	}
}

// What is parsed from the sources is what the compiler sees.
func TestTableHasEachKey(t *testing.T) {
	table, err := Table("../../config")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for prefix, of := range map[string]any{"": config.Config{}, "kinds.<kind>.": config.Kind{}, "windows[].": config.Window{}, "pressure.": config.Pressure{}} {
		for f := range reflect.TypeOf(of).Fields() {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if n++; !strings.Contains(table, "| `"+prefix+key+"` | ") {
				t.Errorf("no key %s%s", prefix, key)
			}
		}
	}
	if lines := strings.Count(table, "\n") - 2; lines != n {
		t.Errorf("%d keys in the table, %d in the types", lines, n)
	}
}

// The FAQ tells of each rule that keeps.
func TestEachRuleIsExplained(t *testing.T) {
	rules, err := constants("../..", "Rule")
	if err != nil {
		t.Fatal(err)
	}
	faq := read(t, docs+"faq.md")
	for _, r := range rules {
		if r != "absent" && !strings.Contains(faq, "| `"+r+"`") {
			t.Errorf("faq.md does not tell what %q means", r)
		}
	}
}

// The examples are configurations that hostgc accepts.
func TestExamples(t *testing.T) {
	kinds := []string{rke2data.Product().Kind, k3sdata.Product().Kind}
	for _, k := range kind.All(discover.Layout{}) {
		kinds = append(kinds, k.Name)
	}
	examples := []string{read(t, "../packages/hostgc.yaml"), read(t, "../kustomize/hostgc.yaml")}
	for _, block := range strings.Split(read(t, docs+"configure.md"), "```yaml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		examples = append(examples, text)
	}
	if len(examples) < 5 {
		t.Errorf("only %d examples", len(examples))
	}
	for _, text := range examples {
		if _, err := config.Parse([]byte(text), kinds); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	marks   = regexp.MustCompile(`[^a-z0-9 -]`)
)

// Each link between the pages leads to a file, and to a heading in it.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob(docs + "*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, "../../SECURITY.md", "../sylva/README.md")
	n := 0
	for _, page := range pages {
		for _, l := range link.FindAllStringSubmatch(read(t, page), -1) {
			n++
			target := page
			if l[1] != "" {
				target = filepath.Join(filepath.Dir(page), l[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if l[2] != "" && !anchors(read(t, target))[l[2]] {
				t.Errorf("%s: %s has no heading #%s", page, target, l[2])
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d links seen", n)
	}
}

// anchors are made of headings as GitHub makes them.
func anchors(page string) map[string]bool {
	out := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		out[strings.ReplaceAll(marks.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return out
}
