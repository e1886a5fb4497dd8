package build

import (
	"fmt"
	"path"
	"regexp"
)

func (r recipe) env() []string {
	env := []string{"GOFLAGS=-trimpath -buildvcs=false", "CGO_ENABLED=0", "GOWORK=off"}
	if r.cgo {
		env[1] = "CGO_ENABLED=1"
	}
	return env
}

func (r recipe) options() []string {
	return []string{"-tags", r.tags, "-ldflags", "-s -w " + r.flags}
}

// goBuildHere builds a program of this module. It runs each time: Go knows
// what changed.
func goBuildHere(b *builder, r recipe) error {
	return b.install(r, func(into string) error {
		argv := append([]string{"go", "build", "-o", into + "/"}, r.options()...)
		_, err := b.run("", r.env(), append(argv, r.packages()...)...)
		return err
	})
}

// goInstall builds a module whose go.mod stands alone.
func goInstall(b *builder, r recipe) error {
	if _, err := b.run("", r.env(), "go", "mod", "download", r.module+"@"+r.version); err != nil {
		return fmt.Errorf("%w: %w", errUnavailable, err)
	}
	return b.install(r, func(into string) error {
		argv := append([]string{"go", "install"}, r.options()...)
		for _, p := range r.packages() {
			argv = append(argv, p+"@"+r.version)
		}
		_, err := b.run("", append(r.env(), "GOBIN="+into), argv...)
		return err
	})
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// programOf gives the name that Go gives to the program of a package: the last
// element of its path that is not a major version.
func programOf(pkg string) string {
	if majorVersion.MatchString(path.Base(pkg)) {
		pkg = path.Dir(pkg)
	}
	return path.Base(pkg)
}
