package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

var two = []string{"a", "b"}

func TestStateSurvives(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "hostgc")
	s, err := Load(dir, two)
	if err != nil || s.Limits(two)["a"] != 10 {
		t.Fatalf("a new node: %v %v", err, s)
	}
	s.add(Result{Removed: map[string]int{"a": 10, "b": 0}, Bytes: 4096})
	for range 2 { // the second time over the first
		if err := s.Save(dir); err != nil {
			t.Fatal(err)
		}
	}
	again, err := Load(dir, two)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(State{Rounds: map[string]int{"a": 1}, Removed: map[string]int64{"a": 10}, Bytes: 4096}, again); diff != "" {
		t.Error(diff)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "state.json" {
		t.Errorf("%v: %v", err, entries)
	}
	if info, err := entries[0].Info(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", err, info.Mode())
	}
}

func TestUnusableStateIsNew(t *testing.T) {
	for name, c := range map[string]struct {
		content, says string
		want          State
	}{
		"torn":            {`{"rounds":{"a":3`, "does not decode", NewState()},
		"empty":           {"", "does not decode", NewState()},
		"zeros":           {strings.Repeat("\x00", 64), "does not decode", NewState()},
		"huge":            {`{"rounds":{"a":3}}` + strings.Repeat(" ", maxState), "has more than 65536 bytes", NewState()},
		"null":            {"null", "", NewState()},
		"wrong numbers":   {`{"rounds":{"a":-7},"removed":{"a":-1},"bytes":-1}`, "", NewState()},
		"kinds that went": {`{"rounds":{"z":9,"a":1}}`, "", State{Rounds: map[string]int{"a": 1}, Removed: map[string]int64{}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, stateFile), []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Load(dir, two)
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("error %v, want it to say %q", err, c.says)
			}
			if diff := cmp.Diff(c.want, s); diff != "" {
				t.Error(diff)
			}
			if err := s.Save(dir); err != nil {
				t.Errorf("it is not mended: %v", err)
			}
		})
	}
}

// A link in the state's directory leads nowhere out of it.
func TestStateFollowsNoLinkOut(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(outside, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"state.json", "state.json.new"} {
		if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(dir, two); err == nil {
		t.Error("the state was read from outside")
	}
	if err := NewState().Save(dir); err == nil {
		t.Error("the state was saved outside")
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "precious" {
		t.Errorf("%v %q", err, b)
	}
}

// Law 9. Without a free inode the state stays as it was, and says so.
func TestStateWithoutFreeInode(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts a file system")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "nr_inodes=3,size=1m"); err != nil {
		t.Skipf("mounting a tmpfs: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	s := NewState()
	s.add(Result{Removed: map[string]int{"a": 1}})
	if err := s.Save(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "leak"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.add(Result{Removed: map[string]int{"a": 1}})
	if err := s.Save(dir); err == nil || !strings.Contains(err.Error(), "saving the agent's state in "+dir) {
		t.Errorf("got %v", err)
	}
	again, err := Load(dir, two)
	if err != nil || again.Rounds["a"] != 1 {
		t.Errorf("%v %v", err, again)
	}
}
