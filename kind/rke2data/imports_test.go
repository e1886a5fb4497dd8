package rke2data

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImports holds that another agent can import this package without taking
// in a client of the API server, gRPC or a command line.
func TestImports(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "github.com/hostgc/hostgc/kind/datadir") {
		t.Fatalf("go list tells nothing: %q", deps)
	}
	for _, dep := range deps {
		for _, refused := range []string{"k8s.io/", "sigs.k8s.io/", "google.golang.org/", "github.com/spf13/", "github.com/containerd/", "net/http"} {
			if strings.HasPrefix(dep, refused) {
				t.Errorf("needs %s", dep)
			}
		}
	}
}
