package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// bundleFiles are the references in the other files of a bundle: runtime and
// options.json (BinaryName), config.json (mounts and hooks), bootstrap.json.
// config.json also tells whose it is.
func (s *search) bundleFiles(b bundle) error {
	var errs []error
	for _, file := range []string{"runtime", "options.json", "bootstrap.json", "address", "sandbox", "config.json"} {
		text, ok, err := s.read(path.Join(b.path, file))
		if err != nil || !ok {
			errs = append(errs, err)
			continue
		}
		found, err := s.inBundleFile(b, file, text)
		errs = append(errs, err)
		for _, t := range found {
			s.refer(t, Use{Source: "bundles", Holder: b.id,
				What: fmt.Sprintf("has %s in its %s (%s)", t.label(), file, path.Join(b.path, file)),
			})
		}
	}
	return errors.Join(errs...)
}

// inBundleFile gives the trees that a bundle's file refers to.
func (s *search) inBundleFile(b bundle, file, text string) ([]*Tree, error) {
	switch file {
	case "sandbox":
		s.boxes[b.id] = strings.TrimSpace(text)
		return nil, nil
	case "config.json":
		return s.inSpec(b.id, text)
	}
	return s.inText(text)
}

// spec is what counts of an OCI runtime specification. Its other paths are the
// container's own, and mean nothing on the host.
type spec struct {
	Annotations map[string]string `json:"annotations"`
	Mounts      []struct {
		Source string `json:"source"`
	} `json:"mounts"`
	Hooks map[string][]struct {
		Path string `json:"path"`
	} `json:"hooks"`
}

// inSpec gives the trees that a container mounts from or has hooks in, and
// takes from its annotations whose it is.
func (s *search) inSpec(id, text string) ([]*Tree, error) {
	found := s.named(text)
	var c spec
	if json.Unmarshal([]byte(text), &c) != nil {
		return s.inText(text) // not understood: each path in it counts
	}
	s.whose(id, c.Annotations)
	var paths []string
	for _, m := range c.Mounts {
		paths = append(paths, m.Source)
	}
	for _, hooks := range c.Hooks {
		for _, h := range hooks {
			paths = append(paths, h.Path)
		}
	}
	var errs []error
	for _, p := range paths {
		more, err := s.byPath(p)
		found, errs = append(found, more...), append(errs, err)
	}
	return found, errors.Join(errs...)
}

// whose takes a sandbox's pod from the annotations that the CRI plugin makes.
func (s *search) whose(id string, annotations map[string]string) {
	const cri = "io.kubernetes.cri."
	box := annotations[cri+"sandbox-id"]
	if box == "" {
		return
	}
	s.boxes[id] = box
	pod := Pod{annotations[cri+"sandbox-namespace"], annotations[cri+"sandbox-name"], annotations[cri+"sandbox-uid"]}
	if pod.known() {
		s.pods[box] = pod
	}
}
