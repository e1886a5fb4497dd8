package rke2data

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocument: each weakness and each report in the documentation has a node,
// and the node is there.
func TestDocument(t *testing.T) {
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, tables, ok := strings.Cut(string(data), "## Weaknesses, and the node that holds hostgc to each")
	if !ok {
		t.Fatalf("%s does not list the weaknesses", document)
	}
	nodes := 0
	for _, row := range regexp.MustCompile(`(?m)^\| .* \| (.*) \|$`).FindAllStringSubmatch(tables, -1) {
		dir := "testdata/"
		cell := row[1]
		if rest, ok := strings.CutPrefix(cell, "k3s: "); ok {
			dir, cell = "../k3sdata/testdata/", rest
		}
		if cell == "node" || strings.HasPrefix(cell, "example of") {
			continue
		}
		for _, name := range strings.Split(cell, ", ") {
			nodes++
			if _, err := os.Stat(dir + name + ".txtar"); err != nil {
				t.Errorf("%s: %v", row[0], err)
			}
		}
	}
	if nodes < 30 {
		t.Errorf("only %d nodes", nodes)
	}
}
