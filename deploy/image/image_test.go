package image

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	ggcrlayout "github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

var release = Release{Version: "v1.2.3", Commit: "abc", Made: time.Unix(1_800_000_000, 0), Licence: []byte("free\n")}

const ref = "hostgc/hostgc:v1.2.3"

// compile builds a small static program for an architecture.
func compile(t *testing.T, arch string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module example\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-trimpath", "-o", "program")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "program")
}

// archives makes both archives of the programs as a release would.
func archives(t *testing.T, programs ...string) (docker, oci []byte) {
	t.Helper()
	var images []v1.Image
	var d, o bytes.Buffer
	for _, path := range programs {
		p, err := ReadProgram(path)
		if err != nil {
			t.Fatal(err)
		}
		img, err := release.Build(p)
		if err != nil {
			t.Fatal(err)
		}
		images = append(images, img)
	}
	if err := WriteDocker(&d, ref, images[0]); err != nil {
		t.Fatal(err)
	}
	index, err := Index(images)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteOCI(&o, ref, index); err != nil {
		t.Fatal(err)
	}
	return d.Bytes(), o.Bytes()
}

// Program and image come out the same when they are built again elsewhere.
func TestReproducible(t *testing.T) {
	d1, o1 := archives(t, compile(t, "amd64"), compile(t, "arm64"))
	d2, o2 := archives(t, compile(t, "amd64"), compile(t, "arm64"))
	if !bytes.Equal(d1, d2) || !bytes.Equal(o1, o2) {
		t.Error("a second build is not the first")
	}
	later := release
	later.Made = later.Made.Add(time.Second)
	p, err := ReadProgram(compile(t, "amd64"))
	if err != nil {
		t.Fatal(err)
	}
	if digest(t, release, p) == digest(t, later, p) {
		t.Error("a digest that does not depend on what is in the image")
	}
}

func digest(t *testing.T, r Release, p *Program) string {
	t.Helper()
	img, err := r.Build(p)
	if err != nil {
		t.Fatal(err)
	}
	d, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d.String()
}

func TestContents(t *testing.T) {
	program := compile(t, "arm64")
	docker, _ := archives(t, program)
	img, err := tarball.Image(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(docker)), nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if c.OS != "linux" || c.Architecture != "arm64" || c.Config.User != "0:0" || c.Config.Labels["org.opencontainers.image.version"] != "v1.2.3" {
		t.Errorf("configuration %+v", c)
	}
	layers, err := img.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatal(err, len(layers))
	}
	r, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	modes, content := untar(t, r)
	want := map[string]int64{
		"host/": 0o755, "etc/": 0o755, "etc/hostgc/": 0o755, "var/": 0o755, "var/lib/": 0o755, "var/lib/hostgc/": 0o755,
		"usr/": 0o755, "usr/bin/": 0o755, "usr/bin/hostgc": 0o755, "usr/share/": 0o755, "usr/share/doc/": 0o755,
		"usr/share/doc/hostgc/": 0o755, "usr/share/doc/hostgc/LICENSE": 0o644, "usr/share/doc/hostgc/sbom.cdx.json": 0o644,
	}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Error(diff)
	}
	built, err := os.ReadFile(program)
	if err != nil || !bytes.Equal(built, content[c.Config.Entrypoint[0][1:]]) {
		t.Error("the entry point is not the program", err)
	}
	if !json.Valid(content["usr/share/doc/hostgc/sbom.cdx.json"]) {
		t.Error("the bill of materials is no JSON")
	}
}

func untar(t *testing.T, r io.Reader) (modes map[string]int64, content map[string][]byte) {
	t.Helper()
	modes, content = map[string]int64{}, map[string][]byte{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return modes, content
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" {
			t.Errorf("%s belongs to %d:%d %s", h.Name, h.Uid, h.Gid, h.Uname)
		}
		modes[h.Name] = h.Mode
		if content[h.Name], err = io.ReadAll(tr); err != nil {
			t.Fatal(err)
		}
	}
}

// The OCI archive is a valid layout with an image for each architecture.
func TestOCI(t *testing.T) {
	_, oci := archives(t, compile(t, "amd64"), compile(t, "arm64"))
	dir := t.TempDir()
	_, content := untar(t, bytes.NewReader(oci))
	for name, b := range content {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	top, err := ggcrlayout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(top); err != nil {
		t.Error(err)
	}
	m, err := top.IndexManifest()
	if err != nil || len(m.Manifests) != 1 || m.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "v1.2.3" {
		t.Fatal(err, m)
	}
	index, err := top.ImageIndex(m.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	m, err = index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var platforms []string
	for _, d := range m.Manifests {
		platforms = append(platforms, d.Platform.String())
	}
	if diff := cmp.Diff([]string{"linux/amd64", "linux/arm64"}, platforms); diff != "" {
		t.Error(diff)
	}
}

func TestRefuses(t *testing.T) {
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{
		shell: "not static", text: "not a Linux program", text + "x": "no such file", compile(t, "386"): "not released for EM_386",
	} {
		if _, err := ReadProgram(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want it to say %q", path, err, says)
		}
	}
}

func TestBillOfMaterials(t *testing.T) {
	b, err := BillOfMaterials(&debug.BuildInfo{
		GoVersion: "go1.26.8", Main: debug.Module{Path: "example.org/a", Version: "(devel)"},
		Deps: []*debug.Module{
			{Path: "example.org/b", Version: "v1.0.0"},
			{Path: "example.org/c", Version: "v1.0.0", Replace: &debug.Module{Path: "../c", Version: "v1.0.1"}},
		},
	}, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pkg:golang/example.org/a@v1.2.3", "pkg:golang/stdlib@go1.26.8", "pkg:golang/example.org/b@v1.0.0", "pkg:golang/example.org/c@v1.0.1"} {
		if !strings.Contains(string(b), `"purl": "`+want+`"`) {
			t.Errorf("no %s in\n%s", want, b)
		}
	}
}
