package agent

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
)

func TestNotify(t *testing.T) {
	if err := Notify("", NotifyReady); err != nil {
		t.Errorf("with nobody listening: %v", err)
	}
	t.Chdir(t.TempDir())
	for _, socket := range []string{"notify", "@hostgc-test-" + filepath.Base(t.TempDir())} {
		l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: socket})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := Notify(socket, NotifyAlive); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 64)
		if n, err := l.Read(b); err != nil || string(b[:n]) != "WATCHDOG=1" {
			t.Errorf("%v %q", err, b[:n])
		}
	}
	if err := Notify("nobody", NotifyStopping); err == nil || !strings.Contains(err.Error(), "telling systemd STOPPING=1") {
		t.Errorf("got %v", err)
	}
}
