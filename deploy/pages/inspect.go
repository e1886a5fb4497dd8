package pages

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// inspect visits every node of a directory's sources, without its tests.
func inspect(dir string, visit func(ast.Node)) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("read the sources of hostgc: %w", err)
		}
		ast.Inspect(f, func(n ast.Node) bool { visit(n); return true })
	}
	return nil
}
