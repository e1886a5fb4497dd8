package build

import (
	"os"
	"strings"
)

// versions are those that the bed was last proven with. Each can be set by an
// environment variable, with or without the leading v: `make e2e K8S=1.34.4`.
type versions struct {
	kubernetes, multus, containerd, runc, cni, etcd string
}

func pinned() versions {
	return versions{
		kubernetes: version("K8S", "1.37.2"),
		multus:     version("MULTUS", "4.2.3"),
		containerd: version("CONTAINERD", "2.4.2"),
		runc:       version("RUNC", "1.5.3"),
		cni:        version("CNI", "1.10.0"),
		etcd:       version("ETCD", "3.6.16"),
	}
}

func version(variable, pin string) string {
	if v := os.Getenv(variable); v != "" {
		pin = v
	}
	return "v" + strings.TrimPrefix(pin, "v")
}
