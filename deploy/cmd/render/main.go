// Command render prints the manifests of the Helm chart, or of the kustomize
// base, for kubectl apply -f - where there is no helm:
//
//	render --chart chart --namespace hostgc --values my.yaml
//	render --kustomize kustomize
package main

import (
	"flag"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"

	"github.com/hostgc/hostgc/deploy/render"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
}

func run() error {
	chart := flag.String("chart", "", "chart `DIR`")
	kustomization := flag.String("kustomize", "", "kustomization `DIR`")
	file := flag.String("values", "", "`FILE` of values")
	var r render.Release
	flag.StringVar(&r.Name, "name", "hostgc", "`NAME` of the release")
	flag.StringVar(&r.Namespace, "namespace", "hostgc", "`NAMESPACE` to install into")
	flag.StringVar(&r.KubeVersion, "kube-version", "v1.34.0", "`VERSION` of Kubernetes to render for")
	flag.Parse()
	var out string
	var err error
	if *kustomization != "" {
		out, err = render.Kustomize(*kustomization)
	} else {
		var values map[string]any
		if values, err = read(*file); err == nil {
			out, err = render.Chart(*chart, values, r)
		}
	}
	fmt.Print(out)
	return err
}

func read(file string) (map[string]any, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the values: %w", err)
	}
	var values map[string]any
	if err := yaml.Unmarshal(b, &values); err != nil {
		return nil, fmt.Errorf("values %s: %w", file, err)
	}
	return values, nil
}
