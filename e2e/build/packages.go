package build

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// needs are the commands that succeed where the machine has what the bed uses,
// and the Debian packages that make them succeed. runc takes a C compiler and
// libseccomp; the portmap plugin runs iptables.
var needs = []struct {
	try      []string
	packages []string
}{
	{[]string{"gcc", "--version"}, []string{"gcc", "libc6-dev"}},
	{[]string{"pkg-config", "--exists", "libseccomp"}, []string{"pkg-config", "libseccomp-dev"}},
	{[]string{"iptables", "--version"}, []string{"iptables"}},
}

// packages installs what is missing where it may and can.
func (b *builder) packages() error {
	var missing []string
	for _, n := range needs {
		if exec.Command(n.try[0], n.try[1:]...).Run() != nil {
			missing = append(missing, n.packages...)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	list := strings.Join(missing, " ")
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		fmt.Fprintf(b.out, "e2e: !!!!!! MISSING: install the packages %s, and run this again !!!!!!\n", list)
		return nil
	}
	fmt.Fprintf(b.out, "e2e: apt-get install %s …\n", list)
	env := []string{"DEBIAN_FRONTEND=noninteractive"}
	if _, err := b.run("", env, "apt-get", "update", "-q"); err != nil {
		return err
	}
	_, err := b.run("", env, append([]string{"apt-get", "install", "-q", "-y", "--no-install-recommends"}, missing...)...)
	return err
}
