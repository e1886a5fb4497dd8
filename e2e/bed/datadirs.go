package bed

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// RKE2Dir is RKE2's data directory on the node.
const RKE2Dir = "/var/lib/rancher/rke2"

// The supervisor lies where RKE2 is installed if /usr is read-only, for the
// node's /usr is the machine's.
const rke2Program = "/opt/rke2/bin/rke2"

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
