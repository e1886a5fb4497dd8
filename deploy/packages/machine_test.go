package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// machine runs a script as root in a copy of this machine: all that it writes
// goes to a tmpfs above, in a mount namespace of its own, and is gone with it.
// The built packages are in /mnt.
func machine(t *testing.T, script string) string {
	t.Helper()
	dist := os.Getenv("DIST")
	if dist == "" {
		t.Fatal("$DIST is not set: say make -C deploy packages-test")
	}
	dist, err := filepath.Abs(dist)
	if err != nil {
		t.Fatal(err)
	}
	const copied = `set -eu
mount --make-rprivate /
mount -t tmpfs above "$TOP"
mkdir "$TOP/up" "$TOP/work" "$TOP/root"
mount -t overlay -o "lowerdir=/,upperdir=$TOP/up,workdir=$TOP/work" copy "$TOP/root"
mount -t proc proc "$TOP/root/proc"
mount --bind /dev "$TOP/root/dev"
mount --bind "$DIST" "$TOP/root/mnt"
exec chroot "$TOP/root" /bin/sh -euc "$SCRIPT"`
	cmd := exec.Command("unshare", "--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", copied)
	cmd.Env = append(os.Environ(), "TOP="+t.TempDir(), "DIST="+dist, "SCRIPT="+script, "DEBIAN_FRONTEND=noninteractive")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// built gives the one package of a pattern, as the copy sees it.
func built(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(os.Getenv("DIST"), pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d packages %s in %s, want 1: say make -C deploy packages", len(found), pattern, os.Getenv("DIST"))
	}
	return "/mnt/" + filepath.Base(found[0])
}
