package safefs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// envTree makes this test, in another process, work on the tree and kill
// itself: "<root> <action> <step>".
const envTree = "SAFEFS_TEST_TREE"

// killedIn runs an action in another process, which gets a SIGKILL before its
// nth step. It reports false if there are fewer steps.
func killedIn(t *testing.T, root, action string, n int) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTreeKilled$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d", envTree, root, action, n))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signal() == unix.SIGKILL {
			return true
		}
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", action, err, out)
	}
	return false
}

func beKilled(t *testing.T, order string) {
	f := strings.Fields(order)
	n, err := strconv.Atoi(f[2])
	must(t, err)
	d := openDir(t, f[0], "/data")
	r := treeRemover(t, d, trees())
	r.fault = func(string) error {
		if n--; n == 0 {
			return unix.Kill(os.Getpid(), unix.SIGKILL)
		}
		return nil
	}
	switch f[1] {
	case "remove":
		_, err = r.Remove(context.Background(), tree, judged(t, d, tree), unused)
		must(t, err)
	case "refuse":
		_, err = r.Remove(context.Background(), tree, judged(t, d, tree), inUse)
		wantErr(t, err, errInUse, "")
	case "resume":
		_, err = r.Resume(context.Background(), unused)
		must(t, err)
	}
}

// kill -9 before each step. Under its own name and when set aside the tree is
// whole; there is never more than one; the next run finishes, and for what was
// objected to, gives it its name back.
func TestTreeKilled(t *testing.T) {
	if order := os.Getenv(envTree); order != "" {
		beKilled(t, order)
		return
	}
	for action, points := range map[string]int{"remove": 17, "refuse": 4} {
		n := 1
		for ; ; n++ {
			root, d := rke2(t)
			whole := contents(t, root+"/data/"+tree)
			live := untouched(t, root+"/live")
			if !killedIn(t, root, action, n) {
				break
			}
			wantWhole(t, root, whole)
			if action == "refuse" {
				_, err := treeRemover(t, d, trees()).Resume(context.Background(), inUse)
				if err != nil {
					wantErr(t, err, errInUse, aside(tree))
				}
				wantNames(t, d, "current", tree)
				wantWhole(t, root, whole)
			}
			finish(t, treeRemover(t, d, trees()))
			wantNames(t, d, "current")
			live()
		}
		if n-1 != points {
			t.Errorf("%s was killed at %d steps, want %d", action, n-1, points)
		}
	}
}

// A run that is killed again and again gets there all the same.
func TestTreeKilledAgainAndAgain(t *testing.T) {
	root, d := rke2(t)
	live := untouched(t, root+"/live")
	if !killedIn(t, root, "remove", 4) {
		t.Fatal("not killed")
	}
	n := 1
	for ; killedIn(t, root, "resume", n); n++ {
		wantOne(t, d)
	}
	if n < 10 {
		t.Errorf("it was killed %d times only", n-1)
	}
	wantNames(t, d, "current")
	live()
}

func wantOne(t *testing.T, d *Dir) {
	t.Helper()
	if got := names(t, d); len(got) != 2 {
		t.Errorf("beside current there is not one tree: %v", got)
	}
}

// wantWhole wants the tree under one name, and whole unless it is the third.
func wantWhole(t *testing.T, root string, whole map[string]string) {
	t.Helper()
	wantOne(t, openDir(t, root, "/data"))
	top := existing(root+"/data/"+tree, root+"/data/"+aside(tree))
	if top == "nothing" {
		return
	}
	if diff := cmp.Diff(whole, contents(t, top)); diff != "" {
		t.Errorf("%s is not whole (-want +got):\n%s", top, diff)
	}
}
