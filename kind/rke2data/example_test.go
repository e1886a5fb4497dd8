package rke2data_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/datadir/datadirtest"
	"github.com/hostgc/hostgc/kind/rke2data"
)

// An agent that has unpacked its version, started containerd and the kubelet,
// and seen the kubelet ready, lets the old versions go. It does not wait for
// that, and a failure does not stop it: what is kept is tried again at the next
// start.
func Example() {
	kubeletReady := make(chan struct{})
	close(kubeletReady)

	// In an agent options is what the operator configured, and Mode all that
	// must be set. Here a node in a file stands for the host, so nothing is
	// removed.
	options := exampleNode()
	log := slog.New(slog.DiscardHandler)

	done := make(chan struct{})
	go func(ctx context.Context) {
		defer close(done)
		<-kubeletReady
		report, err := rke2data.Clean(ctx, "/var/lib/rancher/rke2", options, log)
		if err != nil {
			log.Warn("old data directories were not all removed", "error", err)
		}
		for _, d := range report.Entries {
			fmt.Println(d.Name, d.Verdict)
			for _, why := range d.Reasons[:1] {
				fmt.Println("   ", why)
			}
		}
	}(context.Background())
	<-done

	// Output:
	// v1.31.14-rke2r1-d214997293ba unknown
	//     held: it is among the newest 2 (retain: 1 older)
	// v1.34.4-rke2r1-0d52262ea640 live
	//     processes: has PATH lead into v1.34.4-rke2r1 (process 100, /usr/local/bin/rke2); it ends with the process
}

func exampleNode() rke2data.Options {
	data, err := os.ReadFile("testdata/link-current.txtar")
	if err != nil {
		panic(err)
	}
	n, err := datadirtest.Parse(data, rke2data.DefaultDir)
	if err != nil {
		panic(err)
	}
	options := n.Options()
	options.Mode, options.Retain = hostgc.ModeReport, 1
	return options
}
