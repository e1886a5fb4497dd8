package bed

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// deploy is the module of what is deployed, seen from the directory in which
// the tests run. It is a module of its own, so its programs are run.
const deploy = "../deploy"

// HostgcImage is the name under which hostgc's own image is imported. Runtime
// and kubelet complete it in the same way.
const HostgcImage = "hostgc/hostgc:e2e"

// ImportHostgc makes the image that a release would have of the hostgc under
// test, and imports it into the node's containerd.
func (n *Node) ImportHostgc() {
	n.t.Helper()
	binary, err := filepath.Abs(os.Getenv("HOSTGC_BIN"))
	n.must(err, "find the hostgc under test")
	_, err = runDeploy("image", "--version", "e2e", "--licence", "../LICENSE", "--out", n.layout.share(), binary)
	n.must(err, "make hostgc's image")
	ctr, err := n.tool("ctr")
	n.must(err, "find ctr")
	_, err = n.Exec(ctr, "-n", "k8s.io", "images", "import", shareDir+"/hostgc-e2e-"+runtime.GOARCH+".tar")
	n.must(err, "import hostgc's image")
}

// Manifests renders what is deployed: with "--kustomize", "kustomize" the
// plain manifests, with "--chart", "chart" those of the Helm chart.
func (n *Node) Manifests(args ...string) []unstructured.Unstructured {
	n.t.Helper()
	out, err := runDeploy("render", args...)
	n.must(err, "render the manifests")
	var objects []unstructured.Unstructured
	for doc := range strings.SplitSeq("\n"+out, "\n---\n") {
		var o unstructured.Unstructured
		n.must(yaml.Unmarshal([]byte(doc), &o.Object), "read a manifest")
		if len(o.Object) > 0 {
			objects = append(objects, o)
		}
	}
	return objects
}

func runDeploy(program string, args ...string) (string, error) {
	cmd := exec.Command("go", append([]string{"run", "./cmd/" + program}, args...)...)
	cmd.Dir = deploy
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s in deploy: %w: %s", cmd, err, errs.String())
	}
	return out.String(), nil
}
