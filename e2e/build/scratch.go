package build

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// goBuildScratch builds in a module made for the purpose, with the programs as
// its tools, for modules that `go install` refuses: Kubernetes has replace
// directives, Multus' list of versions cannot be had, etcd's server is a
// module below another.
func goBuildScratch(b *builder, r recipe) error {
	dir := filepath.Join(b.Cache, "scratch", r.name+"-"+r.version)
	if err := b.scratchModule(dir, r); err != nil {
		return fmt.Errorf("%w: %w", errUnavailable, err)
	}
	return b.install(r, func(into string) error {
		argv := append([]string{"go", "build", "-o", into + "/"}, r.options()...)
		_, err := b.run(dir, r.env(), append(argv, r.packages()...)...)
		return err
	})
}

func (b *builder) scratchModule(dir string, r recipe) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var mod strings.Builder
	fmt.Fprintf(&mod, "module scratch\n\ngo %s\n\n", strings.TrimPrefix(runtime.Version(), "go"))
	for _, p := range r.packages() {
		fmt.Fprintf(&mod, "tool %s\n", p)
	}
	fmt.Fprintf(&mod, "\nrequire %s %s\n", r.module, r.version)
	staged, err := b.staged(r)
	if err != nil {
		return err
	}
	for _, m := range staged {
		fmt.Fprintf(&mod, "replace %s => %s %s\n", m, m, stagedVersion(r.version))
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod.String()), 0o644); err != nil {
		return err
	}
	_, err = b.run(dir, r.env(), "go", "mod", "tidy")
	return err
}

// staged gives the modules that a module requires at v0.0.0: Kubernetes
// develops its libraries in its own tree, and replaces them with directories
// that the module proxy does not have.
func (b *builder) staged(r recipe) ([]string, error) {
	out, err := b.run("", r.env(), "go", "mod", "download", "-json", r.module+"@"+r.version)
	if err != nil {
		return nil, err
	}
	var module struct{ GoMod string }
	if err := json.Unmarshal(out, &module); err != nil {
		return nil, fmt.Errorf("find go.mod of %s: %w", r.module, err)
	}
	if out, err = b.run("", r.env(), "go", "mod", "edit", "-json", module.GoMod); err != nil {
		return nil, err
	}
	var mod struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return nil, fmt.Errorf("read %s: %w", module.GoMod, err)
	}
	var staged []string
	for _, m := range mod.Require {
		if m.Version == "v0.0.0" {
			staged = append(staged, m.Path)
		}
	}
	return staged, nil
}

// stagedVersion: the libraries of Kubernetes 1.37.2 are published as 0.37.2.
func stagedVersion(v string) string { return "v0." + strings.TrimPrefix(v, "v1.") }

// kubernetesVersion gives the linker flags that tell Kubernetes its version:
// without it, kubelet registers as v0.0.0 and the API server serves no
// version that clients accept.
func kubernetesVersion(v string) string {
	const pkg = "k8s.io/component-base/version"
	minor := strings.Split(v, ".")[1]
	return fmt.Sprintf("-X %s.gitVersion=%s -X %s.gitMajor=1 -X %s.gitMinor=%s", pkg, v, pkg, pkg, minor)
}
