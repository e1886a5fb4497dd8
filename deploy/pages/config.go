package pages

import (
	"fmt"
	"go/ast"
	"reflect"
	"strings"
)

// The types that make up the configuration file, and where each stands in it.
var parts = []struct{ typ, prefix string }{
	{"Config", ""}, {"Kind", "kinds.<kind>."}, {"Window", "windows[]."}, {"Pressure", "pressure."},
}

// Table gives a line of Markdown for each key, from the sources in a directory.
func Table(dir string) (string, error) {
	types, err := structs(dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| key | |\n|---|---|\n")
	for _, p := range parts {
		s := types[p.typ]
		if s == nil {
			return "", fmt.Errorf("package config has no type %s any more", p.typ)
		}
		for _, f := range s.Fields.List {
			key, text, err := field(f)
			if err != nil {
				return "", fmt.Errorf("type %s: %w", p.typ, err)
			}
			fmt.Fprintf(&b, "| `%s%s` | %s |\n", p.prefix, key, text)
		}
	}
	return b.String(), nil
}

func structs(dir string) (map[string]*ast.StructType, error) {
	out := map[string]*ast.StructType{}
	err := inspect(dir, func(n ast.Node) {
		if t, ok := n.(*ast.TypeSpec); ok {
			if s, ok := t.Type.(*ast.StructType); ok {
				out[t.Name.Name] = s
			}
		}
	})
	return out, err
}

// field gives a field's key and its comment, without the name in Go that the
// comment begins with.
func field(f *ast.Field) (key, text string, err error) {
	if len(f.Names) != 1 || f.Tag == nil {
		return "", "", fmt.Errorf("a field without a name or a key")
	}
	name := f.Names[0].Name
	key, _, _ = strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
	text = strings.Join(strings.Fields(f.Doc.Text()), " ")
	if text == "" {
		return "", "", fmt.Errorf("%s has no comment", name)
	}
	for _, begin := range []string{name + " is ", name + " lists ", name + " are ", name + ": ", name + " "} {
		if rest, ok := strings.CutPrefix(text, begin); ok && !strings.HasPrefix(rest, "of ") {
			text = strings.ToUpper(rest[:1]) + rest[1:]
			break
		}
	}
	return key, strings.ReplaceAll(text, "|", `\|`), nil
}
