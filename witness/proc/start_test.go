package proc

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// statOf is a real stat line with another command and start time.
func statOf(command, start string) string {
	return "430 (" + command + ") S 1 430 430 0 -1 4194560 9013 0 41 0 120 90 0 0 20 0 14 0 " + start +
		" 1278984192 15210 18446744073709551615 1 1 0 0 0 0 0 0 2143420159 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
}

func TestStartedAgo(t *testing.T) {
	tests := []struct {
		name, stat string
		want       time.Duration
		err        string // empty: none
	}{
		{"containerd", statOf("containerd", "1234"), 100*time.Second - 12340*time.Millisecond, ""},
		{"the first", statOf("init", "0"), 100 * time.Second, ""},
		{"spaces and parentheses", statOf("a) R 1 (b c", "1234"), 100*time.Second - 12340*time.Millisecond, ""},
		{"this moment", statOf("x", "10000"), 0, ""},
		{"another node's", statOf("x", "10001"), 0, "another node's /proc"},
		{"overflow", statOf("x", "18446744073709551615"), 0, "no number of ticks"},
		{"negative", statOf("x", "-1"), 0, "no number of ticks"},
		{"cut off", "430 (x) S 1 430", 0, "only 5 fields"},
		{"empty", "", 0, "no command"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := StartedAgo(fstest.MapFS{"430/stat": file(tt.stat)}, 430, 100*time.Second)
			if got != tt.want || (err == nil) != (tt.err == "") || !strings.Contains(fmt.Sprint(err), tt.err) {
				t.Errorf("got %s, %v; want %s, %q", got, err, tt.want, tt.err)
			}
		})
	}
	if _, err := StartedAgo(fstest.MapFS{}, 430, time.Hour); err == nil {
		t.Error("no error without the process")
	}
}

// TestStartOfThisProcess holds the field's unit and clock to the kernel: a
// process that is started between two looks at the clock started between them.
func TestStartOfThisProcess(t *testing.T) {
	before := sinceBoot(t)
	h := start(t, "wait", 0)
	after := sinceBoot(t)
	ago, err := StartedAgo(os.DirFS("/proc"), h.Process.Pid, after)
	if err != nil {
		t.Fatal(err)
	}
	if at := after - ago; at < before-tick || at > after {
		t.Errorf("started at %s after the boot, which is not between %s and %s", at, before, after)
	}
}

func sinceBoot(t *testing.T) time.Duration {
	t.Helper()
	d, err := SinceBoot()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func FuzzStarted(f *testing.F) {
	f.Add([]byte(statOf("containerd", "1234")))
	f.Add([]byte(statOf("a) R (b", "99999999999999999999")))
	f.Add([]byte("1 () "))
	f.Fuzz(func(t *testing.T, stat []byte) {
		at, err := started(stat)
		if err != nil {
			if at != 0 {
				t.Errorf("%s with an error", at)
			}
			return
		}
		if at < 0 || !strings.Contains(string(stat), fmt.Sprint(int64(at/tick))) {
			t.Errorf("%q: %s is not in it", stat, at)
		}
	})
}
