package bed

import (
	"os"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

const apiServer = "https://127.0.0.1:6443" // the loopback of the node's own network namespace

// The users of the API. Admins are what the bed and Multus are.
var users = map[string]struct{ name, group string }{
	"admin":     {"admin", "system:masters"},
	"multus":    {"multus", "system:masters"},
	"kcm":       {"system:kube-controller-manager", ""},
	"scheduler": {"system:kube-scheduler", ""},
	"kubelet":   {"system:node:" + NodeName, "system:nodes"},
	"hostgc":    {"hostgc", ""},
}

// writeCredentials makes the cluster's keys, and a kubeconfig for each user,
// where the node sees them.
func (n *Node) writeCredentials() error {
	ca, err := newAuthority()
	if err != nil {
		return err
	}
	if err := n.writeServerKeys(ca); err != nil {
		return err
	}
	for file, u := range users {
		p, err := ca.issue(u.name, u.group, nil)
		if err != nil {
			return err
		}
		if err := clientcmd.WriteToFile(kubeconfig(ca, p), n.layout.share(file+".kubeconfig")); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) writeServerKeys(ca *authority) error {
	server, err := ca.issue("kube-apiserver", "", serverNames, serverIPs...)
	if err != nil {
		return err
	}
	// kubelet asks no one to sign its certificate: it gets one.
	kubelet, err := ca.issue(NodeName, "", []string{NodeName}, serverIPs...)
	if err != nil {
		return err
	}
	tokens, err := newAuthority() // only its key is used: it signs service account tokens
	if err != nil {
		return err
	}
	tokenKey, err := encodeKey(tokens.key)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"ca.crt":        ca.pem,
		"apiserver.crt": server.cert, "apiserver.key": server.key,
		"kubelet.crt": kubelet.cert, "kubelet.key": kubelet.key,
		"tokens.key": tokenKey,
	} {
		if err := os.WriteFile(n.layout.share(name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func kubeconfig(ca *authority, p pair) api.Config {
	c := api.NewConfig()
	c.Clusters["bed"] = &api.Cluster{Server: apiServer, CertificateAuthorityData: ca.pem}
	c.AuthInfos["user"] = &api.AuthInfo{ClientCertificateData: p.cert, ClientKeyData: p.key}
	c.Contexts["bed"] = &api.Context{Cluster: "bed", AuthInfo: "user"}
	c.CurrentContext = "bed"
	return *c
}
