package render

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

const (
	chartDir     = "../chart"
	kustomizeDir = "../kustomize"
)

var update = flag.Bool("update", false, "write the golden files anew")

var release = Release{Name: "hostgc", Namespace: "hostgc", KubeVersion: "v1.34.0"}

// ciValues gives the values of each file below chart/ci by its name.
func ciValues(t *testing.T) map[string]map[string]any {
	t.Helper()
	files, err := filepath.Glob(chartDir + "/ci/*-values.yaml")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files of values, %v", len(files), err)
	}
	out := map[string]map[string]any{}
	for _, f := range files {
		out[strings.TrimSuffix(filepath.Base(f), "-values.yaml")] = values(t, readFile(t, f))
	}
	return out
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func values(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return v
}

// objects renders the chart and decodes it.
func objects(t *testing.T, v map[string]any, r Release) []runtime.Object {
	t.Helper()
	out, err := Chart(chartDir, v, r)
	if err != nil {
		t.Fatal(err)
	}
	objs, err := Objects(out)
	if err != nil {
		t.Fatal(err)
	}
	return objs
}

// only gives the one object of a type.
func only[T runtime.Object](t *testing.T, objs []runtime.Object) T {
	t.Helper()
	var found []T
	for _, o := range objs {
		if o, ok := o.(T); ok {
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d objects of the type, want 1", len(found))
	}
	return found[0]
}

// For each file of values: no complaint of helm lint, only fields that the
// APIs have, and the manifests that were reviewed (go test -update writes them).
func TestEachCIValues(t *testing.T) {
	for name, v := range ciValues(t) {
		t.Run(name, func(t *testing.T) {
			l := lint.RunAll(chartDir, v, release.Namespace)
			for _, m := range l.Messages {
				if m.Severity > support.InfoSev {
					t.Error(m)
				}
			}
			out, err := Chart(chartDir, v, release)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Objects(out); err != nil {
				t.Error(err)
			}
			golden(t, name, out)
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".yaml")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(readFile(t, file), got); diff != "" {
		t.Errorf("%s; if it is right: go test ./render -update\n%s", file, diff)
	}
}

// The kustomize base and the chart as it comes install the same.
func TestBaseIsTheChartsDefault(t *testing.T) {
	y, err := Kustomize(kustomizeDir)
	if err != nil {
		t.Fatal(err)
	}
	base, err := Objects(y)
	if err != nil {
		t.Fatal(err)
	}
	chart := objects(t, nil, release)
	a, b := only[*appsv1.DaemonSet](t, base), only[*appsv1.DaemonSet](t, chart)
	for _, ds := range []*appsv1.DaemonSet{a, b} {
		ds.Spec.Selector, ds.Spec.Template.Labels = nil, nil
		ds.Spec.Template.Spec.Containers[0].Image, ds.Spec.Template.Spec.Containers[0].ImagePullPolicy = "", ""
		slices.SortFunc(ds.Spec.Template.Spec.Containers[0].VolumeMounts, func(a, b corev1.VolumeMount) int { return strings.Compare(a.Name, b.Name) })
		slices.SortFunc(ds.Spec.Template.Spec.Volumes, func(a, b corev1.Volume) int { return strings.Compare(a.Name, b.Name) })
	}
	if diff := cmp.Diff(a.Spec, b.Spec); diff != "" {
		t.Errorf("base (-), chart (+):\n%s", diff)
	}
	if diff := cmp.Diff(rights(base), rights(chart)); diff != "" {
		t.Errorf("rights of base (-), chart (+):\n%s", diff)
	}
	conf := func(objs []runtime.Object) map[string]any {
		return values(t, only[*corev1.ConfigMap](t, objs).Data["hostgc.yaml"])
	}
	if diff := cmp.Diff(conf(base), conf(chart)); diff != "" {
		t.Errorf("configuration of base (-), chart (+):\n%s", diff)
	}
}

// Without a type, a path that is missing does not block the pod. HostToContainer
// lets unmounts of the host through.
func TestMounts(t *testing.T) {
	for name, v := range ciValues(t) {
		pod := only[*appsv1.DaemonSet](t, objects(t, v, release)).Spec.Template.Spec
		paths := map[string]string{}
		for _, vol := range pod.Volumes {
			if vol.HostPath == nil || vol.Name == "state" {
				continue
			}
			paths[vol.Name] = vol.HostPath.Path
			if vol.HostPath.Type != nil {
				t.Errorf("%s: host path %s has the type %s", name, vol.HostPath.Path, *vol.HostPath.Type)
			}
		}
		writable := 0
		for _, m := range pod.Containers[0].VolumeMounts {
			if path, ok := paths[m.Name]; ok {
				if m.MountPath != strings.TrimSuffix("/host"+path, "/") || m.MountPropagation == nil || *m.MountPropagation != corev1.MountPropagationHostToContainer {
					t.Errorf("%s: %s is mounted as %+v", name, path, m)
				}
				if !m.ReadOnly {
					writable++
				}
			}
		}
		if want := map[string]int{"look-first": 0, "everything": 2}[name]; name == "look-first" && writable != 0 || name != "look-first" && writable < max(want, 1) {
			t.Errorf("%s: %d writable host paths", name, writable)
		}
	}
}

// Capabilities are those of the kinds that are not off.
func TestCapabilities(t *testing.T) {
	off := map[string]any{"config": map[string]any{"kinds": map[string]any{}}}
	for _, k := range slices.Sorted(maps.Keys(kindTable(t))) {
		off["config"].(map[string]any)["kinds"].(map[string]any)[k] = map[string]any{"mode": false}
	}
	for want, v := range map[string]map[string]any{
		"SYS_PTRACE":                 nil,
		"DAC_READ_SEARCH,SYS_PTRACE": {"config": map[string]any{"kinds": map[string]any{"rke2-data": map[string]any{"mode": "report"}}}},
		"":                           off,
		"SYS_ADMIN":                  {"capabilities": []any{"SYS_ADMIN"}},
	} {
		c := only[*appsv1.DaemonSet](t, objects(t, v, release)).Spec.Template.Spec.Containers[0].SecurityContext.Capabilities
		var got []string
		for _, a := range c.Add {
			got = append(got, string(a))
		}
		if strings.Join(got, ",") != want || len(c.Drop) != 1 || c.Drop[0] != "ALL" {
			t.Errorf("capabilities %+v, want %q", c, want)
		}
	}
}

// Kubernetes had no field for AppArmor before 1.30, and refuses unknown fields.
func TestAppArmor(t *testing.T) {
	const annotation = "container.apparmor.security.beta.kubernetes.io/hostgc"
	for version, field := range map[string]bool{"v1.29.9+rke2r1": false, "v1.30.0-rc.1": true, "v1.34.0": true} {
		r := release
		r.KubeVersion = version
		pod := only[*appsv1.DaemonSet](t, objects(t, nil, r)).Spec.Template
		if got := pod.Spec.Containers[0].SecurityContext.AppArmorProfile != nil; got != field || (pod.Annotations[annotation] == "unconfined") == field {
			t.Errorf("Kubernetes %s: field %v, annotations %v", version, got, pod.Annotations)
		}
	}
	pod := only[*appsv1.DaemonSet](t, objects(t, map[string]any{"appArmorUnconfined": false}, release)).Spec.Template
	if pod.Spec.Containers[0].SecurityContext.AppArmorProfile != nil || len(pod.Annotations) > 0 {
		t.Error("AppArmor is unconfined although that is off")
	}
}
