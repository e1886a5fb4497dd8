package bed

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Background runs a shell script in the node, that has to say when it is ready
// by making the file $READY, until stop is called.
func (n *Node) Background(name, script string) (stop func()) {
	n.t.Helper()
	ready := n.layout.share(name + ".ready")
	script = "READY=" + shareDir + "/" + name + ".ready\n" + script
	d, err := n.inside.start(name, n.layout.Run+"/log", exec.Command("/bin/sh", "-ec", script))
	n.must(err, "start "+name)
	n.must(eventually(time.Minute, func() error {
		if !d.running() {
			return fmt.Errorf("it ended: %s", d.tail())
		}
		_, err := os.Stat(ready)
		return err
	}), "wait for "+name)
	return d.stop
}
