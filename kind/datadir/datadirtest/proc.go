package datadirtest

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing/fstest"
)

func (n *Node) inProc(word string, f []string) error {
	switch word {
	case "process":
		n.process(f[0], f[1], f[2:]...)
	case "leaderless":
		delete(n.proc.MapFS, f[0]+"/exe")
		delete(n.proc.MapFS, f[0]+"/root")
	case "start":
		n.start(f[0], f[1])
	case "in":
		n.file("proc/"+f[0]+"/cgroup", "0::/kubepods.slice/cri-containerd-"+f[1]+".scope\n")
	case "behind":
		n.behind(f[0], f[2])
	case "open":
		n.open(f[0], f[1], strings.Join(f[3:], " "))
	case "map":
		info, err := n.root.Lstat(f[1][1:])
		if err != nil {
			return err
		}
		n.append(f[0]+"/maps", fmt.Sprintf("7f00-7f01 r-xp 00000000 08:01 %d    %s\n", info.Sys().(*syscall.Stat_t).Ino, f[len(f)-1]))
	case "mount":
		n.proc.put(f[0]+"/ns/mnt", fs.ModeSymlink, []byte(f[1]), Now)
		n.append(f[0]+"/mountinfo", strings.Join(f[2:], " ")+"\n")
	case "deny":
		if rest, ok := strings.CutPrefix(f[0], "proc/"); ok {
			n.proc.denied[rest] = syscall.EACCES
		} else {
			n.root.denied[strings.TrimPrefix(f[0], "root/")] = syscall.EACCES
		}
	case "lock":
		info, err := n.root.Lstat(f[0][1:])
		if err != nil {
			return err
		}
		n.append("locks", fmt.Sprintf("1: FLOCK  ADVISORY  WRITE %s 08:01:%d 0 EOF\n", cmp.Or(strings.Join(f[1:], ""), "430"), info.Sys().(*syscall.Stat_t).Ino))
	case "recorded":
		n.proc.MapFS = fstest.MapFS{}
	case "no":
		n.Proc = nil
	default:
		return fmt.Errorf("no such word")
	}
	return nil
}

func (n *Node) append(name, text string) {
	old := []byte(nil)
	if f := n.proc.MapFS[name]; f != nil {
		old = slices.Clone(f.Data)
	}
	n.proc.put(name, 0o444, append(old, text...), Now)
}

// process makes everything that the kernel shows of one.
func (n *Node) process(pid, exe string, args ...string) {
	n.open(pid, "exe", exe)
	n.open(pid, "cwd", "/")
	n.open(pid, "root", "/")
	n.proc.put(pid+"/ns/mnt", fs.ModeSymlink, []byte("mnt:[1]"), Now)
	n.file("proc/"+pid+"/cmdline", strings.Join(append([]string{exe}, args...), "\n")+"\n")
	n.file("proc/"+pid+"/environ", "PATH=/usr/bin:/bin\n")
	n.file("proc/"+pid+"/cgroup", "0::/system.slice\n")
	n.file("proc/"+pid+"/maps", "7f00-7f01 rw-p 00000000 00:00 0    [heap]\n")
	n.file("proc/"+pid+"/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n")
	n.proc.put(pid+"/fd", fs.ModeDir|0o500, nil, Now)
	n.start(pid, "1000")
}

func (n *Node) start(pid, seconds string) {
	n.file("proc/"+pid+"/stat", pid+" (a name) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 "+seconds+"00 0 0\n")
}

// open makes a magic link, which leads to the file of that name if there is
// one.
func (n *Node) open(pid, what, to string) {
	link := pid + "/" + what
	if strings.Trim(what, "0123456789") == "" {
		link = pid + "/fd/" + what
	}
	n.proc.put(link, fs.ModeSymlink|0o777, []byte(to), Now)
	n.behind(link, strings.TrimSuffix(to, " (deleted)"))
}

// behind makes a magic link lead to a file of the root, whatever its text says.
func (n *Node) behind(link, to string) {
	n.proc.alias[link] = func() (fs.FileInfo, error) {
		if info, err := n.root.MapFS.Lstat(path.Clean(to)[1:]); err == nil {
			return info, nil
		}
		return n.proc.MapFS.Lstat(path.Dir(link)) // a file that is none of the tests' business
	}
}
