package render

import (
	"fmt"
	"path"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	chartutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	util "helm.sh/helm/v4/pkg/release/v1/util"
)

// Release is what the chart is rendered for.
type Release struct {
	Name, Namespace string
	KubeVersion     string // "v1.34.0"
}

// Chart renders the chart in a directory as one stream of YAML, as `helm
// template` does. It fails on values that the chart's schema refuses.
func Chart(dir string, values map[string]any, r Release) (string, error) {
	c, err := loader.LoadDir(dir)
	if err != nil {
		return "", fmt.Errorf("load the chart: %w", err)
	}
	caps := common.DefaultCapabilities.Copy()
	version, err := common.ParseKubeVersion(r.KubeVersion)
	if err != nil {
		return "", fmt.Errorf("version of Kubernetes %q: %w", r.KubeVersion, err)
	}
	caps.KubeVersion = *version
	v, err := chartutil.ToRenderValues(c, values, common.ReleaseOptions{Name: r.Name, Namespace: r.Namespace, IsInstall: true, Revision: 1}, caps)
	if err != nil {
		return "", fmt.Errorf("values of the chart: %w", err)
	}
	files, err := engine.Render(c, v)
	if err != nil {
		return "", fmt.Errorf("render the chart: %w", err)
	}
	delete(files, path.Join(c.Name(), "templates", "NOTES.txt"))
	return join(files)
}

// join puts the manifests together in the order in which helm installs them.
func join(files map[string]string) (string, error) {
	_, manifests, err := util.SortManifests(files, nil, util.InstallOrder)
	if err != nil {
		return "", fmt.Errorf("sort the manifests: %w", err)
	}
	var out strings.Builder
	for _, m := range manifests {
		fmt.Fprintf(&out, "---\n%s\n", strings.TrimSpace(m.Content))
	}
	return out.String(), nil
}
