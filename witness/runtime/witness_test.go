package runtime

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
)

// Two IDs of a recorded node: a sandbox and the container in it.
const (
	sandbox   = "87f86e551ee5f6d0c9163d635f90e34e3188ceb3e5927aee19f5e2cb9e999135"
	container = "163054d4beca3da894a85e82e4dc54a6b11ae6bc423f19e8975845fce3c16974"
	tasks     = "run/containerd/io.containerd.runtime.v2.task/"
)

func file(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

func says(t *testing.T, root fs.FS, extra ...string) (map[string]string, string, error) {
	t.Helper()
	answer, err := Witness(root, extra...).Ask(t.Context())
	claims := map[string]string{}
	for _, c := range answer.Claims {
		if c.Ref.Space != hostgc.SpaceSandbox || c.Witness != "runtime" {
			t.Errorf("claim %+v", c)
		}
		claims[c.Ref.Key] = c.Detail
	}
	return claims, answer.Says, err
}

var traceTests = []struct {
	name  string
	root  fstest.MapFS
	extra []string
	want  map[string]string
}{
	{"nothing", fstest.MapFS{}, nil, map[string]string{}},
	{
		"recorded bundles",
		fstest.MapFS{
			tasks + "k8s.io/" + sandbox + "/shim-binary-path": file("/usr/bin/containerd-shim-runc-v2"),
			tasks + "k8s.io/" + container + "/sandbox":        file(sandbox),
		}, nil,
		map[string]string{
			sandbox:   "a container of it has /" + tasks + "k8s.io/" + container + "/sandbox",
			container: "the runtime's state has /" + tasks + "k8s.io/" + container,
		},
	},
	{
		"a sandbox whose own bundle is lost",
		fstest.MapFS{tasks + "k8s.io/" + container + "/sandbox": file(sandbox + "\n")}, nil,
		map[string]string{
			sandbox:   "a container of it has /" + tasks + "k8s.io/" + container + "/sandbox",
			container: "the runtime's state has /" + tasks + "k8s.io/" + container,
		},
	},
	{
		"another namespace", fstest.MapFS{tasks + "moby/" + sandbox + "/init.pid": file("7")}, nil,
		map[string]string{sandbox: "the runtime's state has /" + tasks + "moby/" + sandbox},
	},
	{
		"an empty bundle, in RKE2",
		fstest.MapFS{"run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/" + sandbox: {Mode: fs.ModeDir | 0o700}}, nil,
		map[string]string{sandbox: "the runtime's state has /run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/" + sandbox},
	},
	{
		"the old shim's bundle, in k0s",
		fstest.MapFS{"run/k0s/containerd/io.containerd.runtime.v1.linux/k8s.io/" + sandbox + "/config.json": file("")}, nil,
		map[string]string{sandbox: "the runtime's state has /run/k0s/containerd/io.containerd.runtime.v1.linux/k8s.io/" + sandbox},
	},
	{
		"the CRI plugin's directories, in MicroK8s",
		fstest.MapFS{
			"var/snap/microk8s/common/run/containerd/io.containerd.grpc.v1.cri/sandboxes/" + sandbox + "/shm":   {Mode: fs.ModeDir},
			"var/snap/microk8s/common/run/containerd/io.containerd.grpc.v1.cri/containers/" + container + "/io": {Mode: fs.ModeDir},
		}, nil,
		map[string]string{
			sandbox:   "the runtime's state has /var/snap/microk8s/common/run/containerd/io.containerd.grpc.v1.cri/sandboxes/" + sandbox,
			container: "the runtime's state has /var/snap/microk8s/common/run/containerd/io.containerd.grpc.v1.cri/containers/" + container,
		},
	},
	{
		"a sandbox that is no container",
		fstest.MapFS{"run/containerd/io.containerd.sandbox.controller.v1.shim/k8s.io/" + sandbox + "/address": file("")}, nil,
		map[string]string{sandbox: "the runtime's state has /run/containerd/io.containerd.sandbox.controller.v1.shim/k8s.io/" + sandbox},
	},
	{
		"CRI-O",
		fstest.MapFS{
			"run/containers/storage/overlay-containers/" + sandbox + "/userdata/pidfile": file("7"),
			"run/containers/storage/vfs-containers/" + container + "/userdata/pidfile":   file("8"),
			"run/containers/storage/overlay-layers/" + strings.Repeat("c", 64) + "/x":    file(""),
		}, nil,
		map[string]string{
			sandbox:   "the runtime's state has /run/containers/storage/overlay-containers/" + sandbox,
			container: "the runtime's state has /run/containers/storage/vfs-containers/" + container,
		},
	},
	{
		"a /var/run of its own",
		fstest.MapFS{"var/run/containerd/io.containerd.grpc.v1.cri/sandboxes/" + sandbox + "/x": file("")}, nil,
		map[string]string{sandbox: "the runtime's state has /var/run/containerd/io.containerd.grpc.v1.cri/sandboxes/" + sandbox},
	},
	{
		"a directory of the operator's",
		fstest.MapFS{"mnt/state/io.containerd.grpc.v1.cri/sandboxes/" + sandbox + "/x": file("")},
		[]string{"/mnt/state/", "/not/there"},
		map[string]string{sandbox: "the runtime's state has /mnt/state/io.containerd.grpc.v1.cri/sandboxes/" + sandbox},
	},
	{
		"no traces",
		fstest.MapFS{
			"var/lib/containerd/io.containerd.runtime.v2.task/k8s.io/" + sandbox + "/x": file(""), // the root
			tasks + "k8s.io/." + sandbox + "/x":                                         file(""), // being removed
			tasks + "k8s.io/" + sandbox[1:] + "/x":                                      file(""),
			tasks + "k8s.io/" + strings.ToUpper(sandbox) + "/x":                         file(""),
			tasks + "k8s.io/web/sandbox":                                                file("web"),
			tasks + "readme":                                                            file(""),
			"run/containerd/runc/k8s.io/x":                                              file(""),
		}, nil, map[string]string{},
	},
	{
		"a sandbox file that says nothing",
		fstest.MapFS{tasks + "k8s.io/" + container + "/sandbox": file("?")}, nil,
		map[string]string{container: "the runtime's state has /" + tasks + "k8s.io/" + container},
	},
}

func TestTraces(t *testing.T) {
	for _, tt := range traceTests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := says(t, tt.root, tt.extra...)
			if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("claims (-want +got):\n%s", diff)
			}
		})
	}
}

// broken fails at one name, as the kernel does.
type broken struct {
	fstest.MapFS
	name string
	err  error
}

func (b broken) fail(name string) error {
	if name != b.name {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: b.err}
}

func (b broken) Open(name string) (fs.File, error) {
	if err := b.fail(name); err != nil {
		return nil, err
	}
	return b.MapFS.Open(name)
}

func (b broken) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := b.fail(name); err != nil {
		return nil, err
	}
	return b.MapFS.ReadDir(name)
}

func (b broken) ReadFile(name string) ([]byte, error) {
	if err := b.fail(name); err != nil {
		return nil, err
	}
	return b.MapFS.ReadFile(name)
}

func TestMute(t *testing.T) {
	root := fstest.MapFS{
		tasks + "k8s.io/" + container + "/sandbox": file(sandbox),
		tasks + "moby/x": file(""),
		"run/containerd/io.containerd.grpc.v1.cri/sandboxes/x":        file(""),
		"run/k3s/containerd/io.containerd.grpc.v1.cri/containers/x/y": file(""),
		"link": {Data: []byte("/data/state"), Mode: fs.ModeSymlink},
	}
	tests := []struct {
		name, at string
		err      error
		want     string // empty: not mute
	}{
		{"healthy", "", nil, ""},
		{"a namespace", tasks + "moby", syscall.EACCES, "/" + tasks + "moby"},
		{"the tasks", strings.TrimSuffix(tasks, "/"), syscall.EIO, "io.containerd.runtime.v2.task"},
		{"the sandboxes", "run/containerd/io.containerd.grpc.v1.cri/sandboxes", syscall.EACCES, "/run/containerd/io.containerd.grpc.v1.cri/sandboxes"},
		{"another runtime's containers", "run/k3s/containerd/io.containerd.grpc.v1.cri/containers", syscall.EACCES, "/run/k3s"},
		{"a bundle's sandbox", tasks + "k8s.io/" + container + "/sandbox", syscall.EACCES, "sandbox of a bundle"},
		{"a bundle that goes", tasks + "k8s.io/" + container + "/sandbox", syscall.ENOENT, ""},
		{"a namespace that goes", tasks + "moby", syscall.ENOENT, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			claims, _, err := says(t, broken{root, tt.at, tt.err})
			if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if tt.at != strings.TrimSuffix(tasks, "/") && claims[container] == "" {
				t.Errorf("what is readable is not claimed: %v", claims)
			}
		})
	}
	for _, dir := range []string{"/link", "/link/below"} {
		if _, _, err := says(t, root, dir); err == nil || !strings.Contains(err.Error(), "/link is a symbolic link") {
			t.Errorf("%s, which leads out of the root: %v", dir, err)
		}
	}
	if _, _, err := says(t, os.DirFS(t.TempDir()+"/none")); err == nil {
		t.Error("no error without a root")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Witness(root).Ask(ctx); err == nil {
		t.Error("no error though cancelled")
	}
}

func TestWitness(t *testing.T) {
	root := fstest.MapFS{
		tasks + "k8s.io/" + container + "/sandbox":   file(sandbox),
		"run/containers/storage/storage.lock":        file(""),
		"run/k3s/containerd":                         file("no directory"),
		"var/run":                                    {Data: []byte("/run"), Mode: fs.ModeSymlink},
		"var/snap/microk8s/common/run/containerd/io": file(""),
	}
	want := []string{"/run/containerd", "/var/snap/microk8s/common/run/containerd", "/run/containers/storage"}
	if diff := cmp.Diff(want, Dirs(root)); diff != "" {
		t.Errorf("Dirs (-want +got):\n%s", diff)
	}
	delete(root, "run/k3s/containerd")
	_, said, err := says(t, root)
	if want := "traces of 2 sandboxes and containers below " + strings.Join(want, ", "); said != want || err != nil {
		t.Errorf("says %q, %v; want %q", said, err, want)
	}
	if _, said, _ := says(t, fstest.MapFS{}); said != "no state directory of a runtime" {
		t.Errorf("says %q without any", said)
	}
	w := Witness(root)
	if diff := cmp.Diff([]hostgc.Space{hostgc.SpaceSandbox}, w.Speaks); diff != "" || w.Knows != nil || w.Name != "runtime" {
		t.Errorf("%s speaks %v, knows %v", w.Name, w.Speaks, w.Knows)
	}
}
