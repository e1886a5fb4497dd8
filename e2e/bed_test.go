package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/hostgc/hostgc/e2e/bed"
)

// A test that is killed leaves nothing on the machine: no process, no cgroup,
// no file.
func TestBedLeavesNothing(t *testing.T) {
	bed.Require(t, "containerd", "runc", "app", "bridge", "multus")
	cmd := exec.Command(os.Args[0], "-test.run=^TestBedVictim$")
	cmd.Env = append(os.Environ(), victim+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var traces []string
	if err := json.Unmarshal(line, &traces); err != nil {
		t.Fatalf("the victim said %q: %v", line, err)
	}
	for _, path := range traces {
		if _, err := os.Lstat(path); err != nil {
			t.Fatalf("a node with a pod must have left %v", err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	if err := bed.WaitGone(traces); err != nil {
		t.Error(err)
	}
}

const victim = "HOSTGC_E2E_VICTIM"

// TestBedVictim is what TestBedLeavesNothing kills.
func TestBedVictim(t *testing.T) {
	if os.Getenv(victim) == "" {
		t.Skip("it runs inside TestBedLeavesNothing")
	}
	n := runtimeNode(t)
	n.RunPod("a", "uid-a")
	line, err := json.Marshal(n.Traces())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(string(line))
	select {}
}
