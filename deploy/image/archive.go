package image

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// WriteDocker writes one image as `docker save` does. `docker load`, `ctr
// images import` and the image directories of RKE2 and K3s read it.
func WriteDocker(w io.Writer, ref string, img v1.Image) error {
	tag, err := name.NewTag(ref)
	if err != nil {
		return fmt.Errorf("image reference: %w", err)
	}
	if err := tarball.Write(tag, img, w); err != nil {
		return fmt.Errorf("write the image %s: %w", ref, err)
	}
	return nil
}

// Index joins the images of several architectures.
func Index(images []v1.Image) (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, img := range images {
		config, err := img.ConfigFile()
		if err != nil {
			return nil, fmt.Errorf("configuration of an image: %w", err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: config.OS, Architecture: config.Architecture}},
		})
	}
	return index, nil
}

// WriteOCI writes an index and its images as one OCI layout in a tar, for tools
// that copy to registries. To import into a node, what WriteDocker writes is better: there
// containerd completes the name as the kubelet does.
func WriteOCI(w io.Writer, ref string, index v1.ImageIndex) error {
	t := &layout{tar: tar.NewWriter(w), seen: map[v1.Hash]bool{}}
	if err := t.index(index); err != nil {
		return fmt.Errorf("write the images %s: %w", ref, err)
	}
	if err := t.entry(ref, index); err != nil {
		return fmt.Errorf("write the images %s: %w", ref, err)
	}
	return t.tar.Close()
}

// layout is an OCI layout that is being written.
type layout struct {
	tar  *tar.Writer
	seen map[v1.Hash]bool
}

// blob is what is stored under its digest.
type blob interface {
	Digest() (v1.Hash, error)
}

func (l *layout) index(index v1.ImageIndex) error {
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, d := range manifest.Manifests {
		img, err := index.Image(d.Digest)
		if err != nil {
			return err
		}
		if err := l.image(img); err != nil {
			return err
		}
	}
	return l.raw(index, index.RawManifest)
}

func (l *layout) image(img v1.Image) error {
	layers, err := img.Layers()
	if err != nil {
		return err
	}
	for _, layer := range layers {
		read := func() ([]byte, error) {
			r, err := layer.Compressed()
			if err != nil {
				return nil, err
			}
			defer r.Close() //nolint:errcheck // only read
			return io.ReadAll(r)
		}
		if err := l.raw(layer, read); err != nil {
			return err
		}
	}
	config, err := img.ConfigName()
	if err != nil {
		return err
	}
	if err := l.put(config, img.RawConfigFile); err != nil {
		return err
	}
	return l.raw(img, img.RawManifest)
}

func (l *layout) raw(b blob, read func() ([]byte, error)) error {
	digest, err := b.Digest()
	if err != nil {
		return err
	}
	return l.put(digest, read)
}

func (l *layout) put(digest v1.Hash, read func() ([]byte, error)) error {
	if l.seen[digest] {
		return nil
	}
	l.seen[digest] = true
	content, err := read()
	if err != nil {
		return err
	}
	return l.file(path.Join("blobs", digest.Algorithm, digest.Hex), content)
}

// entry writes what names the index.
func (l *layout) entry(ref string, index v1.ImageIndex) error {
	raw, err := index.RawManifest()
	if err != nil {
		return err
	}
	digest, _, err := v1.SHA256(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	tag, err := name.NewTag(ref)
	if err != nil {
		return fmt.Errorf("image reference: %w", err)
	}
	top, err := json.Marshal(v1.IndexManifest{
		SchemaVersion: 2, MediaType: types.OCIImageIndex,
		Manifests: []v1.Descriptor{{
			MediaType: types.OCIImageIndex, Digest: digest, Size: int64(len(raw)),
			Annotations: map[string]string{"org.opencontainers.image.ref.name": tag.TagStr()},
		}},
	})
	if err != nil {
		return err
	}
	if err := l.file("index.json", top); err != nil {
		return err
	}
	return l.file("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`))
}

func (l *layout) file(name string, content []byte) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(content))}
	if err := l.tar.WriteHeader(h); err != nil {
		return err
	}
	_, err := l.tar.Write(content)
	return err
}
