package proc

import (
	"context"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/hostgc/hostgc"
)

var (
	idA = strings.Repeat("a", 64)
	idB = strings.Repeat("b", 64)
)

func file(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

func link(target string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
}

// node builds a /proc from a txtar: a file "430/exe ->" is a link.
func node(t *testing.T, archive string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name, isLink := strings.CutSuffix(f.Name, " ->")
		if isLink {
			out[name] = link(strings.TrimSpace(string(f.Data)))
			continue
		}
		out[name] = file(string(f.Data))
	}
	if len(out) == 0 {
		t.Fatal("no file in the archive")
	}
	return out
}

func recorded(t *testing.T) fstest.MapFS {
	t.Helper()
	data, err := os.ReadFile("testdata/healthy.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return node(t, string(data))
}

// says gives what a witness claims, as "space/key" → why.
func says(t *testing.T, procFS fs.FS, places ...string) (map[string]string, string) {
	t.Helper()
	w := Witness(procFS, places...)
	answer, err := w.Ask(t.Context())
	out := map[string]string{}
	for _, c := range answer.Claims {
		if c.Witness != w.Name {
			t.Errorf("claim %s in the name of %q", c.Ref, c.Witness)
		}
		out[c.Ref.String()] = c.Detail
	}
	if err != nil {
		return out, err.Error()
	}
	return out, ""
}

func expect(t *testing.T, procFS fs.FS, want map[string]string, places ...string) {
	t.Helper()
	got, err := says(t, procFS, places...)
	if err != "" {
		t.Errorf("mute: %s", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

// broken fails with an error at one name, as the kernel does.
type broken struct {
	fstest.MapFS
	name string
	err  error
}

func (b broken) Open(name string) (fs.File, error) {
	if name == b.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: b.err}
	}
	return b.MapFS.Open(name)
}

func (b broken) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == b.name {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: b.err}
	}
	return b.MapFS.ReadDir(name)
}

func (b broken) ReadLink(name string) (string, error) {
	if name == b.name {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: b.err}
	}
	return b.MapFS.ReadLink(name)
}

func TestRecordedNode(t *testing.T) {
	pod, app := "87f86e551ee5f6d0c9163d635f90e34e3188ceb3e5927aee19f5e2cb9e999135", "163054d4beca3da894a85e82e4dc54a6b11ae6bc423f19e8975845fce3c16974"
	other := "1f419daa6ad1f480fb020ea18e6d93e80c00cd56080e4f0d2767c3f3b0114654"
	want := map[string]string{
		"sandbox/" + pod:   "process 514 (/pause) is in its cgroup",
		"sandbox/" + app:   "process 721 (/app) is in its cgroup",
		"sandbox/" + other: "process 628 (/pause) is in its cgroup",
	}
	proc := recorded(t)
	expect(t, proc, want)

	// The recordings have no mount table. With one, of the three namespaces
	// that are mounted, those with a process in them are claimed.
	proc["1/mountinfo"] = file(`27 1 254:0 / / rw - ext4 /dev/vda rw
30 27 0:4 net:[4026532251] /run/netns/cni-ce8bdc08-4dcb-889c-a3b8-80ebabff6b50 rw shared:4 - nsfs nsfs rw
31 27 0:4 net:[4026532458] /var/run/netns/cni-3ddf9256-802f-622d-e3c4-71a62fee6676 rw shared:5 - nsfs nsfs rw
32 27 0:4 net:[4026532999] /run/netns/cni-00000000-802f-622d-e3c4-71a62fee6676 rw shared:6 - nsfs nsfs rw
33 27 0:4 net:[4026532177] /run/netns/host rw shared:7 - nsfs nsfs rw
34 27 0:4 mnt:[4026532251] /run/snapd/ns/lxd.mnt rw - nsfs nsfs rw
`)
	want["netns//run/netns/cni-ce8bdc08-4dcb-889c-a3b8-80ebabff6b50"] = "process 514 (/pause) is in this network namespace"
	want["netns//run/netns/cni-3ddf9256-802f-622d-e3c4-71a62fee6676"] = "process 628 (/pause) is in this network namespace"
	expect(t, proc, want)
}

func TestOddProcesses(t *testing.T) {
	tests := []struct {
		name string
		proc string
		want map[string]string
	}{
		{"a zombie, with no namespace and no executable", "-- 7/cgroup --\n0::/x\n-- 7/comm --\nsh\n", map[string]string{}},
		{"a kernel thread", "-- 2/ns/net -> --\nnet:[1]\n-- 2/cgroup --\n0::/\n-- 2/comm --\nkthreadd\n", map[string]string{}},
		{
			"a process whose first thread has ended",
			"-- 1/ns/net -> --\nnet:[1]\n-- 1/mountinfo --\n9 8 0:4 net:[5] /run/netns/cni-x rw - nsfs nsfs rw\n" +
				"-- 7/comm --\nsh\n-- 7/cgroup --\n-- 7/task/7/comm --\nsh\n-- 7/task/8/ns/net -> --\nnet:[5]\n-- 7/task/8/cgroup --\n0::/" + idA,
			map[string]string{
				"netns//run/netns/cni-x": "process 7 (sh) is in this network namespace",
				"sandbox/" + idA:         "process 7 (sh) is in its cgroup",
			},
		},
		{
			"a name that would clear the terminal",
			"-- 7/ns/net -> --\nnet:[5]\n-- 7/cgroup --\n0::/" + idA + "\n-- 7/exe -> --\n/a\x1b[2Jb\n",
			map[string]string{"sandbox/" + idA: "process 7 (/a?[2Jb) is in its cgroup"},
		},
		{
			"a process that ends before its cgroup is read", "-- 7/ns/net -> --\nnet:[5]\n", map[string]string{},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { expect(t, node(t, tt.proc), tt.want) })
	}
}

func with(p fstest.MapFS, name, content string) fstest.MapFS {
	p[name] = file(content)
	return p
}

func without(p fstest.MapFS, dir string) fstest.MapFS {
	for name := range p {
		if strings.HasPrefix(name, dir+"/") {
			delete(p, name)
		}
	}
	return p
}

func TestMute(t *testing.T) {
	etcHosts := "50 40 8:1 /var/lib/kubelet/pods/0b0c/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw\n"
	liveProc := func() fstest.MapFS {
		p := recorded(t)
		p["self"] = link("721")
		p["514/ns/mnt"] = link("mnt:[4026532300]")
		p["514/mountinfo"] = file("")
		p["1/mountinfo"] = file("27 1 254:0 / / rw - ext4 /dev/vda rw\n")
		return p
	}
	tests := []struct {
		name string
		proc fs.FS
		want string // empty: not mute
	}{
		{"healthy", liveProc(), ""},
		{"no permission for a namespace", broken{liveProc(), "514/ns/net", syscall.EACCES}, "CAP_SYS_PTRACE"},
		{"not permitted", broken{liveProc(), "514/ns/net", syscall.EPERM}, "CAP_SYS_PTRACE"},
		{"no permission for a mount namespace", broken{liveProc(), "514/ns/mnt", syscall.EACCES}, "CAP_SYS_PTRACE"},
		{"no permission for a root", broken{liveProc(), "514/root", syscall.EACCES}, "CAP_SYS_PTRACE"},
		{"unreadable cgroup", broken{liveProc(), "514/cgroup", syscall.EIO}, "cgroup of process 514 (/pause)"},
		{"unreadable threads", broken{without(liveProc(), "514/ns"), "514/task", syscall.EACCES}, "threads of process 514 (/pause)"},
		{"unreadable mounts", broken{liveProc(), "1/mountinfo", syscall.EIO}, "mounts of PID 1"},
		{"unreadable mounts of a pod", broken{liveProc(), "514/mountinfo", syscall.EIO}, "mounts of process 514"},
		{"mounts not understood", with(liveProc(), "1/mountinfo", "what\n"), "mounts of PID 1"},
		{"a link that is a file", with(liveProc(), "514/ns/net", "net:[1]"), "network namespace of process 514"},
		{"unreadable list", broken{liveProc(), ".", syscall.EIO}, "listing processes"},
		{"a disk without processes", fstest.MapFS{"meminfo": file("")}, "no process at all"},
		{"hidden processes", without(liveProc(), "1"), "hidepid"},
		{"a pod's own /proc", with(liveProc(), "1/mountinfo", etcHosts), "hostPID: true"},
		{"a pod with a shared PID namespace", with(liveProc(), "1/mountinfo",
			"50 40 8:1 /var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/"+idA+"/resolv.conf /etc/resolv.conf rw - ext4 /dev/sda1 rw\n"), "hostPID: true"},
		{"a node that is a container", with(liveProc(), "1/mountinfo",
			"50 40 8:1 /var/lib/docker/containers/"+idA+"/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n"), ""},
		{"a process that is gone", broken{liveProc(), "514/ns/net", syscall.ENOENT}, ""},
		{"a process that goes", broken{liveProc(), "514/cgroup", syscall.ESRCH}, ""},
		{"a zombie's mounts", broken{liveProc(), "514/mountinfo", syscall.EINVAL}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := says(t, tt.proc, "254:0:/var/lib/cni")
			if (tt.want == "") != (err == "") || !strings.Contains(err, tt.want) {
				t.Errorf("error %q, want %q", err, tt.want)
			}
			if inPod := HostView(tt.proc) != nil; inPod != strings.Contains(tt.want, "hostPID") {
				t.Errorf("HostView says that it is a pod's own: %v", inPod)
			}
			// One process that cannot be seen does not hide the others.
			if pod, ok := tt.proc.(broken); ok && pod.name != "." && got["sandbox/1f419daa6ad1f480fb020ea18e6d93e80c00cd56080e4f0d2767c3f3b0114654"] == "" {
				t.Errorf("other processes are not claimed: %v", got)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Witness(recorded(t)).Ask(ctx); err == nil {
		t.Error("no error though cancelled")
	}
}

func TestWitness(t *testing.T) {
	w := Witness(recorded(t))
	answer, err := w.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := "6 processes in 3 network namespaces"; answer.Says != want {
		t.Errorf("says %q, want %q", answer.Says, want)
	}
	if diff := cmp.Diff([]hostgc.Space{hostgc.SpaceNetns}, w.Knows); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]hostgc.Space{hostgc.SpaceSandbox, hostgc.SpaceNetns, hostgc.SpaceMount}, w.Speaks); diff != "" {
		t.Error(diff)
	}
}

func TestPresent(t *testing.T) {
	for name, want := range map[string]bool{"1/comm": true, "4000000/comm": true, "meminfo": false, "1a/comm": false, "sys/1/comm": false} {
		if got := Present(fstest.MapFS{name: file("")}); got != want {
			t.Errorf("Present with %s: %v", path.Dir(name), got)
		}
	}
	if Present(os.DirFS("testdata/none")) {
		t.Error("present without a directory")
	}
}
