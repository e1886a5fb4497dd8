package bed

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Cluster is a node with kubelet and the control plane of a cluster of which
// it is the only member.
type Cluster struct {
	*Node
	API kubernetes.Interface

	dynamic dynamic.Interface
	control map[string]*daemon
}

var (
	serverNames = []string{"localhost", "kubernetes", "kubernetes.default.svc"}
	serverIPs   = []net.IP{net.ParseIP("127.0.0.1"), net.ParseIP(NodeIP), net.ParseIP("10.96.0.1")}
)

// UpCluster makes a node and starts everything but Multus' networks: see
// InstallMultus. It is torn down when the test ends.
func UpCluster(t testing.TB, multus Multus) *Cluster {
	t.Helper()
	c := &Cluster{Node: Up(t), control: map[string]*daemon{}}
	t.Cleanup(c.logControlTails) // before the node's own clean-up
	c.must(c.writeCredentials(), "make the cluster's credentials")
	c.must(c.connect(), "make the API clients")
	c.must(c.startControlPlane(), "start the control plane")
	c.StartContainerd()
	c.InstallMultus(multus)
	c.StartKubelet()
	c.must(eventually(60*time.Second, c.serviceAccount), "wait for the default service account")
	return c
}

func (c *Cluster) logControlTails() {
	if c.t.Failed() && os.Getenv("HOSTGC_E2E_VERBOSE") != "" {
		for name, d := range c.control {
			c.t.Logf("end of the log of %s:\n%s", name, d.tail())
		}
	}
}

// connect makes clients that dial from the node's network namespace.
func (c *Cluster) connect() error {
	config, err := clientcmd.BuildConfigFromFlags("", c.layout.share("admin.kubeconfig"))
	if err != nil {
		return err
	}
	config.Dial = c.Dial
	config.QPS, config.Burst = 200, 400
	config.WarningHandler = rest.NoWarnings{}
	if c.API, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	c.dynamic, err = dynamic.NewForConfig(config)
	return err
}

func (c *Cluster) startControlPlane() error {
	if err := c.startEtcd(); err != nil {
		return err
	}
	if err := c.startAPIServer(); err != nil {
		return err
	}
	return c.startControllers()
}

func (c *Cluster) startEtcd() error {
	return c.startControl("etcd", "--data-dir", c.layout.Run+"/etcd", "--unsafe-no-fsync", "--log-level", "warn",
		"--listen-client-urls", "http://127.0.0.1:2379", "--advertise-client-urls", "http://127.0.0.1:2379",
		"--listen-peer-urls", "http://127.0.0.1:2380")
}

func (c *Cluster) startAPIServer() error {
	share := c.layout.share
	err := c.startControl("kube-apiserver", "--etcd-servers=http://127.0.0.1:2379",
		"--secure-port=6443", "--bind-address=0.0.0.0", "--advertise-address="+NodeIP,
		"--tls-cert-file="+share("apiserver.crt"), "--tls-private-key-file="+share("apiserver.key"),
		"--client-ca-file="+share("ca.crt"), "--service-cluster-ip-range=10.96.0.0/16",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+share("tokens.key"), "--service-account-signing-key-file="+share("tokens.key"),
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction", "--allow-privileged=true")
	if err != nil {
		return err
	}
	return eventually(90*time.Second, func() error {
		if !c.control["kube-apiserver"].running() {
			return fmt.Errorf("kube-apiserver ended: %s", c.control["kube-apiserver"].tail())
		}
		return c.API.Discovery().RESTClient().Get().AbsPath("/readyz").Timeout(2 * time.Second).Do(context.Background()).Error()
	})
}

func (c *Cluster) startControllers() error {
	share := c.layout.share
	as := func(user string) []string {
		k := share(user + ".kubeconfig")
		return []string{
			"--kubeconfig=" + k, "--authentication-kubeconfig=" + k, "--authorization-kubeconfig=" + k,
			"--leader-elect=false", "--bind-address=127.0.0.1",
		}
	}
	if err := c.startControl("kube-scheduler", as("scheduler")...); err != nil {
		return err
	}
	return c.startControl("kube-controller-manager", append(as("kcm"),
		"--use-service-account-credentials", "--service-account-private-key-file="+share("tokens.key"),
		"--root-ca-file="+share("ca.crt"))...)
}

// startControl starts a program in the node's network namespace, and outside
// its others: it survives the power cut.
func (c *Cluster) startControl(name string, args ...string) error {
	program, err := c.tools.Path(name)
	if err != nil {
		return err
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = c.layout.Run
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c.control[name], err = c.network.start(name, c.layout.Run+"/log", cmd)
	return err
}

// StopAPIServer ends the API server; StartAPIServer brings it back.
func (c *Cluster) StopAPIServer() { c.control["kube-apiserver"].kill() }

// StartAPIServer starts the API server and waits until it is ready.
func (c *Cluster) StartAPIServer() {
	c.t.Helper()
	c.must(c.startAPIServer(), "start the API server")
}

// serviceAccount: no pod can be made before its service account.
func (c *Cluster) serviceAccount() error {
	_, err := c.API.CoreV1().ServiceAccounts("default").Get(context.Background(), "default", metav1.GetOptions{})
	return err
}
