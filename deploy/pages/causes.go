package pages

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"

	"github.com/hostgc/hostgc"
)

// Causes gives a line of Markdown for each cause that hostgc tells.
func Causes(dir string) (string, error) {
	causes, err := constants(dir, "Cause")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| cause | what happened | what stops it |\n|---|---|---|\n")
	for _, c := range causes {
		d, ok := hostgc.Diagnose(c)
		if !ok {
			return "", fmt.Errorf("the cause %q has no diagnosis", c)
		}
		cure := d.Cure
		if cure == "" {
			cure = "nothing does"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c, d.What, cure)
	}
	return b.String(), nil
}

// constants gives the values of the string constants in a directory's sources
// whose names begin with prefix.
func constants(dir, prefix string) ([]string, error) {
	var out []string
	err := inspect(dir, func(n ast.Node) {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				out = append(out, s)
			}
		}
	})
	if len(out) == 0 {
		return nil, fmt.Errorf("no constant %s… in %s", prefix, dir)
	}
	return out, err
}
