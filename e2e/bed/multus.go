package bed

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	authv1 "k8s.io/api/authentication/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Multus says which Multus a cluster has.
type Multus string

// Thin: the runtime's CNI plugin does the work. Thick: it is a shim, and a
// daemon on the node does the work. ThickList: the same, and the pod network is
// a conflist. Of that Multus 4.2.3 keeps a copy without the address ranges, so
// that CNI DEL fails for each pod, once, and its results and IP stay.
const (
	Thin      Multus = "thin"
	Thick     Multus = "thick"
	ThickList Multus = "thick, conflist"
	Tiny      Multus = "thin, five addresses" // a pod network of /29
)

const thinConf = `{"cniVersion":"1.0.0","name":"multus-cni-network","type":"multus",
 "kubeconfig":"/run/bed/share/multus.kubeconfig","delegates":[` + PodNetwork + `]}`

// The daemon makes the shim's configuration, 00-multus.conf, from that of the
// pod network. Told not to, it ends.
const daemonConf = `{"cniVersion":"1.0.0","logLevel":"verbose","logToStderr":true,"socketDir":"/run/multus/",
 "cniConfigDir":"/etc/cni/net.d","multusAutoconfigDir":"/etc/cni/net.d","multusConfigFile":"auto"}`

// InstallMultus installs Multus as the node's CNI plugin.
func (c *Cluster) InstallMultus(m Multus) {
	c.t.Helper()
	c.Apply(crdManifest)
	switch m {
	case Thin:
		c.InstallCNI(map[string]string{"00-multus.conf": thinConf})
		return
	case Tiny:
		c.InstallCNI(map[string]string{"00-multus.conf": strings.ReplaceAll(thinConf, "10.42.0.0/24", "10.42.0.0/29")})
		return
	case Thick:
		c.InstallCNI(map[string]string{"10-bridge.conf": podNetworkConf})
	case ThickList:
		c.InstallCNI(map[string]string{"10-bridge.conflist": PodNetwork})
	}
	c.Share("multus-daemon.json", []byte(daemonConf), 0o644)
	c.StartMultus()
}

// StartMultus starts the thick daemon, which must be started again after each
// boot, as a DaemonSet would.
func (c *Cluster) StartMultus() {
	c.t.Helper()
	c.must(c.startMultus(), "start the Multus daemon")
}

// StopMultus ends the thick daemon as kubelet does. It takes its CNI
// configuration with it, and the runtime falls back to the pod network's.
func (c *Cluster) StopMultus() { c.multus.stop() }

// KillMultus ends the thick daemon with SIGKILL. Its shim stays configured.
func (c *Cluster) KillMultus() { c.multus.kill() }

func (c *Cluster) startMultus() error {
	program, err := c.tool("multus-daemon")
	if err != nil {
		return err
	}
	if err := c.giveMultusToken(); err != nil {
		return fmt.Errorf("give the Multus daemon a token: %w", err)
	}
	// It knows no kubeconfig, so it gets what a pod has.
	cmd := exec.Command("env", "KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=6443",
		"MULTUS_NODE_NAME="+NodeName, program, "-config", shareDir+"/multus-daemon.json")
	if c.multus, err = c.inside.start("multus", c.layout.Run+"/log", cmd); err != nil {
		return err
	}
	return eventually(20*time.Second, func() error {
		_, err := c.Exec("sh", "-c", "test -S /run/multus/multus.sock && test -e /etc/cni/net.d/00-multus.conf")
		return err
	})
}

func (c *Cluster) giveMultusToken() error {
	ctx := context.Background()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "multus"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "default", Name: "default"}},
	}
	if _, err := c.API.RbacV1().ClusterRoleBindings().Get(ctx, "multus", metav1.GetOptions{}); err != nil {
		if _, err := c.API.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	if err := eventually(60*time.Second, c.serviceAccount); err != nil {
		return err
	}
	token, err := c.API.CoreV1().ServiceAccounts("default").CreateToken(ctx, "default", &authv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.layout.share("multus.token"), []byte(token.Status.Token), 0o600); err != nil {
		return err
	}
	const secrets = "/run/secrets/kubernetes.io/serviceaccount"
	_, err = c.Exec("sh", "-c", "mkdir -p "+secrets+" && cp "+shareDir+"/multus.token "+secrets+"/token && cp "+shareDir+"/ca.crt "+secrets+"/ca.crt")
	return err
}
