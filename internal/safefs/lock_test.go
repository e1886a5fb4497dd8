package safefs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLockNamesItsHolder(t *testing.T) {
	root := host(t, "d/a")
	cmd := startSelf(t, envLock+"="+root+"/d", "locked").cmd
	_, err := openDir(t, root, "/d").Lock(context.Background())
	var held *HeldError
	if !errors.As(err, &held) {
		t.Fatalf("got %v, want a HeldError", err)
	}
	want := &HeldError{Path: "/d", PID: cmd.Process.Pid, Command: os.Args[0] + " sweep --kinds all"}
	if diff := cmp.Diff(want, held); diff != "" {
		t.Error(diff)
	}
	wantErr(t, err, held, fmt.Sprintf("/d is locked by process %d (%s sweep", want.PID, os.Args[0]))

	k := thisKernel()
	k.proc = t.TempDir() // a procfs of another PID namespace shows nothing of it
	_, err = openDirOn(t, root, "/d", k).Lock(context.Background())
	if !errors.As(err, &held) || held.PID != 0 {
		t.Fatalf("got %v, want a HeldError without a PID", err)
	}
	wantErr(t, err, held, "a process that is not visible from here")
}

func TestLockNamesTheHolderOfThisDirectory(t *testing.T) {
	root := host(t, "d/a", "e/a")
	holders := map[string]int{}
	for _, dir := range []string{"/d", "/e"} {
		holders[dir] = startSelf(t, envLock+"="+root+dir, "locked").cmd.Process.Pid
	}
	for dir, want := range holders {
		_, err := openDir(t, root, dir).Lock(context.Background())
		var held *HeldError
		if !errors.As(err, &held) || held.PID != want {
			t.Errorf("%s: got %v, want process %d", dir, err, want)
		}
	}
}

func TestLockEndsWithItsHolder(t *testing.T) {
	root := host(t, "d/a")
	d := openDir(t, root, "/d")
	cmd := startSelf(t, envLock+"="+root+"/d", "locked").cmd
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	unlock, err := d.Lock(context.Background())
	must(t, err)
	if _, err := d.Lock(context.Background()); err == nil {
		t.Error("locked twice")
	}
	unlock()
	unlock()
	unlock, err = d.Lock(context.Background())
	must(t, err)
	unlock()
	if got := names(t, d); !cmp.Equal(got, []string{"a"}) {
		t.Errorf("locking left %v behind", got)
	}
}
