package bed

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

//go:embed containerd.toml
var containerdConfig string // RUNC stands for the path of runc

// Image is the only image of the bed: it serves as pause and as workload.
const Image = "localhost/hostgc-e2e:1"

// ContainerdSocket is where the node's CRI is, inside the node.
const ContainerdSocket = "/run/containerd/containerd.sock"

// StartContainerd starts containerd, waits until the CRI answers, and imports
// the image where its store does not have it.
func (n *Node) StartContainerd() {
	n.t.Helper()
	n.must(n.startContainerd(), "start containerd")
}

func (n *Node) startContainerd() error {
	program, err := n.tool("containerd")
	if err != nil {
		return err
	}
	runc, err := n.tool("runc")
	if err != nil {
		return err
	}
	config := strings.ReplaceAll(containerdConfig, "RUNC", runc)
	if err := os.WriteFile(n.layout.share("containerd.toml"), []byte(config), 0o644); err != nil {
		return err
	}
	cmd := exec.Command(program, "--config", shareDir+"/containerd.toml")
	if n.containerd, err = n.inside.start("containerd", n.layout.Run+"/log", cmd); err != nil {
		return err
	}
	if n.cri, err = dialCRI(n); err != nil {
		return err
	}
	err = eventually(60*time.Second, func() error {
		if !n.containerd.running() {
			return fmt.Errorf("containerd ended")
		}
		return n.cri.Answers(context.Background())
	})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, n.containerd.tail())
	}
	n.containerdStarted = time.Now()
	return n.importImage()
}

func (n *Node) importImage() error {
	ctr, err := n.tool("ctr")
	if err != nil {
		return err
	}
	have, err := n.Exec(ctr, "-n", "k8s.io", "images", "ls", "-q")
	if err != nil {
		return err
	}
	if strings.Contains(have, Image) {
		return nil
	}
	app, err := n.tools.Path("app")
	if err != nil {
		return err
	}
	tar := n.layout.share("image.tar")
	if err := writeImage(tar, Image, app); err != nil {
		return fmt.Errorf("write the image: %w", err)
	}
	_, err = n.Exec(ctr, "-n", "k8s.io", "images", "import", shareDir+"/image.tar")
	return err
}

// StopContainerd ends containerd as systemd does. Pods run on.
func (n *Node) StopContainerd() { n.disconnect(); n.containerd.stop() }

// KillContainerd ends containerd with SIGKILL. Pods run on.
func (n *Node) KillContainerd() { n.disconnect(); n.containerd.kill() }

func (n *Node) disconnect() {
	if n.cri != nil {
		n.cri.close()
		n.cri = nil
	}
}
