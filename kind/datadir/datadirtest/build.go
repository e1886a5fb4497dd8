package datadirtest

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// Now is the time on every node.
var Now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// uptime of every node, and the age of what is not given another.
const (
	uptime = 10 * 24 * time.Hour
	old    = 9 * 24 * time.Hour
)

// Node is a node made from an archive.
type Node struct {
	Story      string
	Root, Proc fs.FS
	DataDir    string
	Retain     int
	Needed     map[string]bool // what something on the node needs, whoever knows it
	Wants      []Want

	root, proc *tree
}

// Want is what must become of a directory.
type Want struct{ Verdict, Name, Reason string }

// Parse makes the node of an archive. These lines can stand in its node file;
// AGE is how long ago, PID a number:
//
//	data-dir DIR              that is looked at; first
//	current NAME [AGE]        a tree that runs, with the links and processes that
//	                          this takes: 100 the supervisor, 110 containerd and,
//	                          for RKE2, 120 the kubelet
//	retain N
//	tree NAME [AGE]           a whole directory of a version
//	half NAME [AGE]           one that is not complete
//	needed NAME               something on the node needs it
//	link PATH -> TARGET
//	process PID EXE [ARG…]    with everything that a process has in /proc
//	leaderless PID            its first thread has ended
//	start PID SECONDS         when it was started, after the boot
//	in PID ID                 the sandbox or container whose cgroup it is in
//	behind PID/LINK = PATH    the file that a magic link leads to
//	open PID FD -> PATH       and cwd, root in place of FD
//	map PID PATH [AS]         it has the file mapped, and shows it as another
//	mount PID NS LINE…        a line more in its mount table, in a namespace
//	deny root/PATH|proc/PATH  it cannot be read
//	touch PATH AGE
//	device PATH               it, and all below, is on another file system
//	lock PATH [PID]           somebody holds a flock on it
//	recorded                  /proc is a recording, and has what follows only
//	no proc
//
// $D stands for the directory of the versions.
func Parse(data []byte, dataDir string) (*Node, error) {
	a := txtar.Parse(data)
	n := &Node{Story: strings.TrimSpace(string(a.Comment)), DataDir: dataDir, Needed: map[string]bool{}, root: newTree(1000), proc: newTree(1_000_000)}
	n.Root, n.Proc = n.root, n.proc
	n.proc.put("self", fs.ModeSymlink, []byte("99999"), Now)
	n.file("proc/uptime", fmt.Sprintf("%.2f 1.00\n", uptime.Seconds()))
	n.file("proc/locks", "")
	n.process("1", "/usr/lib/systemd/systemd")
	// The host's files first, because lines of the node speak of them; those of
	// /proc last, because they stand in place of what the lines made.
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "root/") {
			n.file(f.Name, string(f.Data))
		}
	}
	for _, f := range a.Files {
		var err error
		switch {
		case f.Name == "node":
			err = n.lines(string(f.Data), n.directive)
		case f.Name == "want":
			err = n.lines(string(f.Data), n.want)
		case !strings.HasPrefix(f.Name, "root/"):
			n.file(f.Name, string(f.Data))
		}
		if err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (n *Node) lines(text string, each func(string) error) error {
	for line := range strings.Lines(text) {
		line = strings.ReplaceAll(line, "$D", path.Join(n.DataDir, "data"))
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := each(line); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	return nil
}

func (n *Node) want(line string) error {
	f := strings.SplitN(line, " ", 3)
	if len(f) < 2 {
		return fmt.Errorf("no name")
	}
	w := Want{Verdict: f[0], Name: f[1]}
	if len(f) == 3 {
		w.Reason = strings.TrimSpace(f[2])
	}
	n.Wants = append(n.Wants, w)
	return nil
}

// file puts a file as it stands.
func (n *Node) file(name, text string) {
	text = strings.ReplaceAll(text, "$D", path.Join(n.DataDir, "data"))
	top, rest, _ := strings.Cut(name, "/")
	if top == "proc" {
		if base := path.Base(name); base == "cmdline" || base == "environ" {
			text = strings.ReplaceAll(text, "\n", "\x00")
		}
		n.proc.put(rest, 0o444, []byte(text), Now)
		return
	}
	if path.Base(name) == "shim-binary-path" || path.Base(name) == "sandbox" {
		text = strings.TrimSuffix(text, "\n") // containerd writes none
	}
	n.root.put(rest, 0o644, []byte(text), Now.Add(-old))
}

func (n *Node) whole(name string) {
	dir := path.Join(n.DataDir, "data", name)[1:]
	for _, f := range []string{"bin/containerd", "bin/containerd-shim-runc-v2", "bin/runc", "bin/kubelet", "bin/crictl", "bin/k3s", "charts/rke2-coredns.yaml", ".extracted"} {
		n.root.put(dir+"/"+f, 0o755, nil, Now.Add(-old))
	}
}

func (n *Node) directive(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	f := strings.Fields(rest)
	if len(f) == 0 && word != "recorded" && word != "rebooted" {
		return fmt.Errorf("nothing follows")
	}
	switch word {
	case "data-dir":
		n.DataDir = f[0]
	case "retain":
		_, err := fmt.Sscan(f[0], &n.Retain)
		return err
	case "current":
		n.current(f[0])
		return n.touch(path.Join(n.DataDir, "data", f[0]), f[1:])
	case "tree":
		n.whole(f[0])
		return n.touch(path.Join(n.DataDir, "data", f[0]), f[1:])
	case "half":
		n.root.put(path.Join(n.DataDir, "data", f[0], "bin/runc")[1:], 0o755, nil, Now.Add(-old))
		return n.touch(path.Join(n.DataDir, "data", f[0]), f[1:])
	case "needed":
		n.Needed[f[0]] = true
	case "link":
		n.root.put(f[0][1:], fs.ModeSymlink|0o777, []byte(f[2]), Now.Add(-old))
	case "touch":
		return n.touch(f[0], f[1:])
	case "device":
		n.root.device(f[0][1:])
	case "rebooted":
		for name := range n.root.MapFS {
			if strings.HasPrefix(name, "run/") {
				delete(n.root.MapFS, name)
			}
		}
	default:
		return n.inProc(word, f)
	}
	return nil
}

// current makes what an ordinary start of the supervisor leaves.
func (n *Node) current(name string) {
	n.whole(name)
	data := path.Join(n.DataDir, "data")
	bin := path.Join(data, name, "bin")
	if path.Base(n.DataDir) == "k3s" {
		n.root.put(data[1:]+"/current", fs.ModeSymlink|0o777, []byte(path.Join(data, name)), Now.Add(-old))
		n.root.put(data[1:]+"/.lock", 0o600, nil, Now.Add(-old))
		n.root.put("usr/local/bin/k3s", 0o755, nil, Now.Add(-12*24*time.Hour))
		n.process("100", bin+"/k3s", "server")
		n.process("110", bin+"/containerd", "-c", n.DataDir+"/agent/etc/containerd/config.toml")
		n.file("proc/100/cmdline", "/usr/local/bin/k3s server\n")
	} else {
		n.root.put(n.DataDir[1:]+"/bin", fs.ModeSymlink|0o777, []byte(bin), Now.Add(-old))
		n.root.put("usr/local/bin/rke2", 0o755, nil, Now.Add(-12*24*time.Hour))
		n.process("100", "/usr/local/bin/rke2", "server")
		n.file("proc/100/cmdline", "/usr/local/bin/rke2 server\n")
		n.process("110", bin+"/containerd", "-c", n.DataDir+"/agent/etc/containerd/config.toml")
		n.process("120", bin+"/kubelet", "--root-dir=/var/lib/kubelet")
	}
	for _, pid := range []string{"100", "110", "120"} {
		if n.proc.MapFS[pid] == nil {
			continue
		}
		n.file("proc/"+pid+"/environ", "PATH="+bin+":/usr/bin\n")
	}
	n.start("100", "900")
	n.file("root/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/"+strings.Repeat("e", 64)+"/shim-binary-path", bin+"/containerd-shim-runc-v2")
}

func (n *Node) touch(name string, age []string) error {
	if len(age) == 0 {
		return nil
	}
	d, err := time.ParseDuration(age[0])
	n.root.age(name[1:], Now.Add(-d))
	return err
}

// Rename moves a file or a directory of the host, as the remover does.
func (n *Node) Rename(from, to string) { n.root.rename(from[1:], to[1:]) }

// Put puts a file, root/… or proc/…, on the node as it is.
func (n *Node) Put(name string, data []byte) {
	if rest, ok := strings.CutPrefix(name, "root/"); ok {
		n.root.put(rest, 0o644, data, Now.Add(-old))
		return
	}
	n.proc.put(strings.TrimPrefix(name, "proc/"), 0o444, data, Now)
}

// Do puts one more thing on the node, as a line of its file does.
func (n *Node) Do(line string) error { return n.lines(line, n.directive) }

// Watch has f told of everything that is read, root/… or proc/…; the error
// that it gives is what the reader gets.
func (n *Node) Watch(f func(op, name string) error) {
	n.root.hook = func(op, name string) error { return f(op, "root/"+name) }
	n.proc.hook = func(op, name string) error { return f(op, "proc/"+name) }
}

// Remove takes something and all below it off the node.
func (n *Node) Remove(name string) {
	fsys, rest := n.root, strings.TrimPrefix(name, "root/")
	if below, ok := strings.CutPrefix(name, "proc/"); ok {
		fsys, rest = n.proc, below
	}
	for f := range fsys.MapFS {
		if f == rest || strings.HasPrefix(f, rest+"/") {
			delete(fsys.MapFS, f)
		}
	}
}
