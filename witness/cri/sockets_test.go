package cri

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestSockets(t *testing.T) {
	sock := &fstest.MapFile{Mode: fs.ModeSocket | 0o660}
	link := func(to string) *fstest.MapFile {
		return &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte(to)}
	}
	tests := map[string]struct {
		root fstest.MapFS
		want []string
	}{
		"none":           {fstest.MapFS{}, nil},
		"kubeadm":        {fstest.MapFS{"run/containerd/containerd.sock": sock}, []string{"/run/containerd/containerd.sock"}},
		"a regular file": {fstest.MapFS{"run/containerd/containerd.sock": {}}, nil},
		"two runtimes": {
			fstest.MapFS{"run/crio/crio.sock": sock, "run/cri-dockerd.sock": sock},
			[]string{"/run/crio/crio.sock", "/run/cri-dockerd.sock"},
		},
		"RKE2 with a link for crictl": {
			fstest.MapFS{"run/k3s/containerd/containerd.sock": sock, "run/containerd/containerd.sock": link("/run/k3s/containerd/containerd.sock")},
			[]string{"/run/k3s/containerd/containerd.sock"},
		},
		"a relative link of a directory": {
			fstest.MapFS{"run/k3s/containerd/containerd.sock": sock, "run/containerd": link("../../run/k3s/containerd")},
			[]string{"/run/k3s/containerd/containerd.sock"},
		},
		"a link that climbs above the root": {
			fstest.MapFS{"data/rt.sock": sock, "run/k0s/containerd.sock": link("../../../../data/rt.sock")},
			[]string{"/data/rt.sock"},
		},
		"a link to a place of its own": {
			fstest.MapFS{"data/rt.sock": sock, "run/k0s/containerd.sock": link("/data/rt.sock")},
			[]string{"/data/rt.sock"},
		},
		"a dangling link": {fstest.MapFS{"run/k0s/containerd.sock": link("/data/rt.sock")}, nil},
		"a loop must answer": {
			fstest.MapFS{"run/k0s/containerd.sock": link("/run/k0s/containerd.sock")},
			[]string{"/run/k0s/containerd.sock"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Sockets(tt.root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A kernel says ENOTDIR, which is not fs.ErrNotExist.
func TestSocketsBelowARealFile(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "run"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Sockets(os.DirFS(root)); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestParseEndpoint(t *testing.T) {
	good := map[string]string{
		"unix:///run/crio/crio.sock": "/run/crio/crio.sock",
		"unix:/run/crio/crio.sock":   "/run/crio/crio.sock",
		"/run/crio//crio.sock":       "/run/crio/crio.sock",
	}
	for in, want := range good {
		if got, err := ParseEndpoint(in); got != want || err != nil {
			t.Errorf("ParseEndpoint(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "/", "unix://", "unix://run/x.sock", "run/x.sock", "tcp://localhost:1234", "npipe:////./pipe/x"} {
		got, err := ParseEndpoint(in)
		if err == nil || !strings.Contains(err.Error(), "--cri") {
			t.Errorf("ParseEndpoint(%q) = %q, %v; want an error that names --cri", in, got, err)
		}
	}
}

// An absolute link leads out of the root for the kernel, and a socket's
// address holds no more than 107 bytes.
func TestDialLongPathByLink(t *testing.T) {
	root := filepath.Join(t.TempDir(), strings.Repeat("deep/", 30))
	serve(t, root, containerd, &fake{name: "containerd"})
	if err := os.Symlink(containerd, filepath.Join(root, "run/link.sock")); err != nil {
		t.Fatal(err)
	}
	r := New(root, []string{"/run/link.sock"})
	if _, err := ask(t, r); err != nil {
		t.Fatal(err)
	}
	if got := r.Peers()[0].SocketPath; got != filepath.Join(root, containerd) {
		t.Errorf("reached %s", got)
	}
}
