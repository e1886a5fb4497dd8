package image

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"path"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Release is what the images of one release have in common.
type Release struct {
	Version string
	Commit  string    // the Git commit; may be empty
	Made    time.Time // of the commit, not of the build: a build can be repeated
	Licence []byte
}

// file is one entry of the layer.
type file struct {
	name    string
	mode    int64
	content []byte // nil: a directory
}

// The mount points exist in the image: its root file system is read-only.
var mountPoints = []string{"host/", "etc/hostgc/", "var/lib/hostgc/"}

// Build makes the image of a program.
func (r Release) Build(p *Program) (v1.Image, error) {
	sbom, err := BillOfMaterials(p.Build, r.Version)
	if err != nil {
		return nil, fmt.Errorf("bill of materials: %w", err)
	}
	layer, err := r.layer([]file{
		{"usr/bin/hostgc", 0o755, p.Content},
		{"usr/share/doc/hostgc/LICENSE", 0o644, r.Licence},
		{"usr/share/doc/hostgc/sbom.cdx.json", 0o644, sbom},
	})
	if err != nil {
		return nil, err
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return nil, fmt.Errorf("add the layer: %w", err)
	}
	img, err = mutate.ConfigFile(img, r.config(p.Arch, img))
	if err != nil {
		return nil, fmt.Errorf("configure the image: %w", err)
	}
	return img, nil
}

func (r Release) config(arch string, img v1.Image) *v1.ConfigFile {
	c, err := img.ConfigFile()
	if err != nil {
		c = &v1.ConfigFile{} // the caller's next step fails by the same error
	}
	c = c.DeepCopy()
	c.OS, c.Architecture, c.Created = "linux", arch, v1.Time{Time: r.Made.UTC()}
	c.Config = v1.Config{
		Entrypoint: []string{"/usr/bin/hostgc"},
		Env:        []string{"PATH=/usr/bin"}, // for kubectl exec: there is no shell that would have one
		User:       "0:0",
		WorkingDir: "/",
		Labels:     r.labels(),
	}
	return c
}

// labels are those of the OCI image specification's annotations.
func (r Release) labels() map[string]string {
	l := map[string]string{
		"org.opencontainers.image.title":       "hostgc",
		"org.opencontainers.image.description": "Garbage collector for the host state of Kubernetes nodes",
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.version":     r.Version,
		"org.opencontainers.image.created":     r.Made.UTC().Format(time.RFC3339),
	}
	if r.Commit != "" {
		l["org.opencontainers.image.revision"] = r.Commit
	}
	return l
}

func (r Release) layer(files []file) (v1.Layer, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, f := range withDirs(files) {
		if err := r.add(w, f); err != nil {
			return nil, fmt.Errorf("layer: add %s: %w", f.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(buf.Bytes())), nil
	})
}

// withDirs puts each directory before what is in it.
func withDirs(files []file) []file {
	var out []file
	seen := map[string]bool{}
	var addDir func(string)
	addDir = func(dir string) {
		if dir == "." || seen[dir] {
			return
		}
		seen[dir] = true
		addDir(path.Dir(dir))
		out = append(out, file{name: dir + "/", mode: 0o755})
	}
	for _, m := range mountPoints {
		addDir(path.Clean(m))
	}
	for _, f := range files {
		addDir(path.Dir(f.name))
		out = append(out, f)
	}
	return out
}

func (r Release) add(w *tar.Writer, f file) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: r.Made.UTC()}
	if f.content == nil {
		h.Typeflag = tar.TypeDir
	}
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err := w.Write(f.content)
	return err
}
