package datadir_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc/internal/safefs"
	"github.com/hostgc/hostgc/kind/datadir"
	"github.com/hostgc/hostgc/kind/rke2data"
)

// BenchmarkLook is one look at 20 directories of 300 MB, on this machine with
// 500 processes more. It is to take less than a second of CPU.
func BenchmarkLook(b *testing.B) {
	top := b.TempDir()
	for i := range 20 {
		dir := filepath.Join(top, data, fmt.Sprintf("v1.%d.1-rke2r1-%012x", 10+i, i), "bin")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		for _, name := range []string{"containerd", "containerd-shim-runc-v2", "runc", "kubelet", "crictl", "ctr", "kubectl"} {
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				b.Fatal(err)
			}
			if err := os.Truncate(file, 43<<20); err != nil {
				b.Fatal(err)
			}
		}
	}
	for range 500 {
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
	root, err := safefs.OpenRoot(top)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	var before, after unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &before)
	b.ReportAllocs()
	for b.Loop() {
		v, err := datadir.Look(b.Context(), rke2data.Product(), rke2data.DefaultDir, datadir.Options{Root: root.FS(), Proc: os.DirFS("/proc")})
		if err != nil || len(v.Decisions) != 20 {
			b.Fatal(len(v.Decisions), err)
		}
	}
	_ = unix.Getrusage(unix.RUSAGE_SELF, &after)
	cpu := cpuTime(after) - cpuTime(before)
	b.ReportMetric(float64(cpu.Milliseconds())/float64(b.N), "cpu-ms/op")
}

func cpuTime(r unix.Rusage) time.Duration {
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
