package bed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// RKE2Dir is RKE2's data directory on the node.
const RKE2Dir = "/var/lib/rancher/rke2"

// The supervisor lies where RKE2 is installed if /usr is read-only, for the
// node's /usr is the machine's.
const rke2Program = "/opt/rke2/bin/rke2"

// Release gives the name of the directory into which RKE2 unpacks the runtime
// image of a tag.
func Release(tag string) string {
	return tag + "-" + digest([]byte("rancher/rke2-runtime:" + tag))[:12]
}

// RKE2 is a node whose containerd, shim and runc come out of a versioned data
// directory, as RKE2 has them. RKE2 itself is not there: a process that does
// nothing stands in for its supervisor, and the bed does what it would do.
type RKE2 struct {
	*Node
	CustomShim  string // the path of a shim that containerd is to use; "": the release's
	Containerd1 string // the release whose containerd is of version 1; "": none's

	supervisor *daemon
	release    string
	unpacked   time.Time
}

// UpRKE2 makes a node on which no version was started yet.
func UpRKE2(t testing.TB) *RKE2 {
	t.Helper()
	r := &RKE2{Node: Up(t)}
	r.must(r.install("app", rke2Program), "install the stand-in for rke2")
	r.Retain(0)
	return r
}

// Retain configures how many older versions hostgc retains; -1: its default.
func (r *RKE2) Retain(n int) {
	r.t.Helper()
	config := "kinds: {rke2-data: {mode: enforce}}\n"
	if n >= 0 {
		config = fmt.Sprintf("kinds: {rke2-data: {mode: enforce, retain: %d}}\n", n)
	}
	r.sweepArgs = []string{"--config", r.Share("hostgc.yaml", []byte(config), 0o644)}
}

// Upgrade does what a restart of RKE2 with another version does, the first
// start and a rollback included. Pods run on.
func (r *RKE2) Upgrade(release string) {
	r.t.Helper()
	r.Begin(release)
	r.disconnect()
	r.containerd.stop()
	r.StartRelease()
}

// Begin does the first half of an upgrade: the supervisor was started anew and
// has unpacked its release, and containerd is that of the release before.
func (r *RKE2) Begin(release string) {
	r.t.Helper()
	r.supervisor.stop()
	// RKE2 sets its title, which leaves one string of its arguments.
	rke2 := &exec.Cmd{Path: rke2Program, Args: []string{rke2Program + " server"}}
	var err error
	r.supervisor, err = r.inside.start("rke2", r.layout.Run+"/log", rke2)
	r.must(err, "start the stand-in for rke2")
	r.must(r.unpack(release), "unpack "+release)
	r.release = release
}

// StartRelease starts the containerd of the current release.
func (r *RKE2) StartRelease() {
	r.t.Helper()
	r.must(r.startRelease(), "start containerd of "+r.release)
}

// RestartRelease ends it and starts it again. It then takes over what runs by
// what it has on record.
func (r *RKE2) RestartRelease() {
	r.t.Helper()
	r.StopContainerd()
	r.StartRelease()
}

func (r *RKE2) startRelease() error {
	const config = RKE2Dir + "/agent/etc/containerd/config.toml"
	if err := r.write(config, []byte(r.releaseConfig())); err != nil {
		return err
	}
	cmd := exec.Command(r.InRelease(r.release, "bin/containerd"), "-c", config)
	var err error
	if r.containerd, err = r.inside.start("containerd", r.layout.Run+"/log", cmd); err != nil {
		return err
	}
	if r.cri, err = dialCRI(r.Node); err != nil {
		return err
	}
	err = eventually(60*time.Second, func() error {
		if !r.containerd.running() {
			return errors.New("containerd ended")
		}
		return r.cri.Answers(context.Background())
	})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, r.containerd.tail())
	}
	r.containerdStarted = time.Now()
	return r.importImage()
}

// releaseConfig differs from the bed's own in the places that RKE2 has, and in
// that runc is looked up in PATH.
func (r *RKE2) releaseConfig() string {
	if r.release == r.Containerd1 {
		return containerd1Config
	}
	runtime := `runtime_type = "io.containerd.runc.v2"`
	with := runtime
	if r.CustomShim != "" {
		with += "\n      runtime_path = \"" + r.CustomShim + "\""
	}
	return strings.NewReplacer(
		`root = "/var/lib/containerd"`, `root = "`+RKE2Dir+`/agent/containerd"`,
		`state = "/run/containerd"`, `state = "/run/k3s/containerd"`,
		`BinaryName = "RUNC"`, "", runtime, with,
	).Replace(containerdConfig)
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

// Sweep is [Node.Sweep], when the releases are old enough, too.
func (r *RKE2) Sweep() Report {
	r.t.Helper()
	time.Sleep(time.Until(r.unpacked.Add(minAge + 100*time.Millisecond)))
	return r.Node.Sweep()
}

// KeptBy gives the lines in which `hostgc explain` says what keeps a release.
func (r *RKE2) KeptBy(release string) []string {
	r.t.Helper()
	binary, err := os.ReadFile(os.Getenv("HOSTGC_BIN"))
	r.must(err, "find hostgc")
	r.must(writeOnce(r.layout.share("hostgc"), binary), "give the node hostgc")
	args := append([]string{shareDir + "/hostgc", "-o", "json", "explain", "--cri", "unix://" + ContainerdSocket,
		"--min-age", minAge.String(), "--unsafe-short-age", r.InRelease(release, "")}, r.sweepArgs...)
	out, err := r.Exec(args...)
	r.must(err, "have hostgc explain "+release)
	var story struct{ KeptBy []string }
	r.must(json.Unmarshal([]byte(out), &story), "read what hostgc explains")
	return story.KeptBy
}
