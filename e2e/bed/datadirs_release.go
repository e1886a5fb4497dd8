package bed

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// Release gives the name of the directory into which RKE2 unpacks the runtime
// image of a tag.
func Release(tag string) string {
	return tag + "-" + digest([]byte("rancher/rke2-runtime:" + tag))[:12]
}

// unpack makes a release's directory, if there is none, and has the link lead
// to it. Of the programs of which none is run, each is the bed's own.
func (r *RKE2) unpack(release string) error {
	if _, err := os.Stat(r.layout.disk(r.InRelease(release, ".extracted"))); err != nil {
		for name, from := range map[string]string{
			"containerd": "containerd", "containerd-shim-runc-v2": "containerd-shim-runc-v2", "ctr": "ctr", "runc": "runc",
			"kubelet": "app", "kubectl": "app", "crictl": "app",
		} {
			if err := r.install(from, r.InRelease(release, "bin/"+name)); err != nil {
				return err
			}
		}
		if err := r.installContainerd1(release); err != nil {
			return err
		}
		chart := r.write(r.InRelease(release, "charts/rke2-canal.yaml"), []byte("apiVersion: helm.cattle.io/v1\nkind: HelmChart\n"))
		if err := errors.Join(chart, r.write(r.InRelease(release, ".extracted"), nil)); err != nil {
			return err
		}
		r.unpacked = time.Now()
	}
	link := r.layout.disk(RKE2Dir + "/bin")
	if err := os.Symlink(r.InRelease(release, "bin"), link+".new"); err != nil {
		return err
	}
	return os.Rename(link+".new", link)
}

// install copies a program of the bed onto the node's disk: releases share no
// inode.
func (r *RKE2) install(program, path string) error {
	from, err := r.tools.Path(program)
	if err != nil {
		return err
	}
	return r.copy(from, path)
}

func (r *RKE2) copy(from, path string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return r.write(path, content)
}

func (r *RKE2) write(path string, content []byte) error {
	path = r.layout.disk(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o755)
}

// InRelease gives the path of a file of a release, on the node.
func (r *RKE2) InRelease(release, file string) string {
	return filepath.Join(RKE2Dir, "data", release, file)
}

// Releases lists all that lies in the directory of the releases, sorted.
func (r *RKE2) Releases() []string {
	r.t.Helper()
	entries, err := os.ReadDir(r.layout.disk(RKE2Dir + "/data"))
	r.must(err, "list the releases")
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// RemoveRelease removes a release with nobody asked.
func (r *RKE2) RemoveRelease(release string) {
	r.t.Helper()
	r.must(os.RemoveAll(r.layout.disk(r.InRelease(release, ""))), "remove "+release)
}

// SetAside gives a release the name that hostgc gives to one that it removes:
// so it is left if hostgc is killed then.
func (r *RKE2) SetAside(release string) {
	r.t.Helper()
	data := r.layout.disk(RKE2Dir + "/data/")
	r.must(os.Rename(filepath.Join(data, release), filepath.Join(data, ".hostgc-"+release)), "set "+release+" aside")
}
