package proc

import (
	"fmt"
	"os"
	"testing"
	"testing/fstest"
)

// BenchmarkHost looks at the processes of the machine it runs on.
func BenchmarkHost(b *testing.B) {
	host := os.DirFS("/proc")
	places, err := Places(host, "/var/lib/cni")
	if err != nil {
		b.Fatal(err)
	}
	for _, bb := range []struct {
		name   string
		places []string
	}{{"processes", nil}, {"processes and mounts", places}} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			processes := 0
			for b.Loop() {
				s := newScan(host, bb.places)
				_ = s.run(b.Context()) // mute where it may not see all, and as long about it
				processes += s.count
			}
			if processes == 0 {
				b.Fatal("no process")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(processes), "ns/process")
		})
	}
}

// BenchmarkThousands is what the witness itself costs, the kernel left out.
func BenchmarkThousands(b *testing.B) {
	node := fstest.MapFS{}
	for pid := range 5000 {
		dir := fmt.Sprint(pid + 1)
		node[dir+"/cgroup"] = file("0::/kubepods.slice/cri-containerd-" + fmt.Sprintf("%064x", pid/4) + ".scope\n")
		node[dir+"/ns/net"] = link(fmt.Sprintf("net:[%d]", pid/4))
		node[dir+"/exe"] = link("/app")
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := newScan(node, nil).run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
