package render

import (
	"fmt"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Kustomize builds a kustomization as `kubectl kustomize` does.
func Kustomize(dir string) (string, error) {
	m, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return "", fmt.Errorf("build the kustomization %s: %w", dir, err)
	}
	y, err := m.AsYaml()
	if err != nil {
		return "", fmt.Errorf("build the kustomization %s: %w", dir, err)
	}
	return string(y), nil
}
