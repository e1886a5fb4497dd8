package e2e

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostgc/hostgc/e2e/bed"
)

// Pods are made and deleted as fast as the node takes it, some of them torn, so
// that their deletion leaks, while containerd, kubelet and hostgc are killed,
// and hostgc sweeps in a tight loop. Not one file of a sandbox that lives, is
// being made or is made later may go; afterwards all that leaked is cleaned.
func TestClusterChurn(t *testing.T) {
	s := newSchedule(t)
	c := cluster1(t)
	ledger := c.KeepLedger()
	sweeper := bed.NewSweeper(ledger)
	churned := chaos(t, s, c, ledger, sweeper)
	count := c.WaitAllPods()
	ids := c.WaitOnlyReady(count)
	t.Logf("%d pods lived through it", count)
	lastSweep(t, c, sweeper)
	if n := c.WaitAllPods(); n != count {
		t.Errorf("%d pods work after the last sweep, want %d", n, count)
	}
	removeAll(t, c, ids)
	if wrongs := ledger.Wrongs(); len(wrongs) > 0 {
		t.Errorf("%d wrongs:\n%s", len(wrongs), strings.Join(wrongs[:min(30, len(wrongs))], "\n"))
	}
	if churned.torn > 0 && ledger.Removed() == 0 {
		t.Error("hostgc removed nothing, and so this run proved nothing")
	}
	if slow := ledger.Slowest(); slow > bed.ChurnMinAge/2 {
		t.Errorf("a sandbox took %s to be listed, so the minimum age of %s is not honest on this machine", slow, bed.ChurnMinAge)
	}
	t.Log(sweeper)
	ledger.Log(t)
}

// cluster1 is the cluster of three pods, with networks that a churn of hours
// does not fill.
func cluster1(t *testing.T) *bed.Cluster {
	t.Helper()
	bed.Require(t, "containerd", "runc", "app", "bridge", "multus", "etcd", "kube-apiserver", "kubelet")
	c := bed.UpCluster(t, bed.Thin)
	c.WidenPodNetwork()
	c.Allow()
	c.Apply(strings.ReplaceAll(bed.Workloads, "10.99.0.0/24", "10.99.0.0/16"))
	c.WaitPods(3)
	return c
}

// chaos runs everything for the schedule's length, and ends with all started
// and nothing being made or deleted by the test.
func chaos(t *testing.T, s schedule, c *bed.Cluster, ledger *bed.Ledger, sweeper *bed.Sweeper) tally {
	t.Helper()
	stop := make(chan struct{})
	var background sync.WaitGroup
	background.Go(func() {
		if err := sweeper.Loop(stop); err != nil {
			t.Error(err)
		}
	})
	workers := make([]worker, 5)
	for i := range workers {
		workers[i] = worker{id: i, rng: s.stream(uint64(i + 1)), cluster: c, ledger: ledger}
		background.Go(func() { workers[i].run(t, stop) })
	}
	blows := map[string]int{}
	for end := time.Now().Add(s.length); time.Now().Before(end); {
		b := s.next()
		b.strike(c, sweeper)
		c.RestartDead()
		blows[b.victim]++
		if b.victim != "hostgc" {
			t.Logf("killed %s", b)
		}
	}
	close(stop)
	background.Wait()
	var sum tally
	for _, w := range workers {
		sum.add(w.tally)
	}
	t.Logf("pods: %d made, %d deleted (%d by force, %d before they were ready, %d torn); killed: %v; by then hostgc had removed %d files",
		sum.made, sum.deleted, sum.forced, sum.early, sum.torn, blows, ledger.Removed())
	return sum
}

// lastSweep sweeps when all that leaked is old enough, and finds the node clean.
func lastSweep(t *testing.T, c *bed.Cluster, sweeper *bed.Sweeper) {
	t.Helper()
	time.Sleep(bed.ChurnMinAge + time.Second) // the clock that the minimum age asks for; nothing to wait for
	_, stale := bed.Split(c.Files(), c.Known())
	t.Logf("stale before the last sweep: %d", len(garbage(stale)))
	if err := sweeper.Sweep(); err != nil {
		t.Fatal(err)
	}
	_, stale = bed.Split(c.Files(), c.Known())
	if left := garbage(stale); len(left) > 0 {
		t.Errorf("stale files that the last sweep left:\n%s", strings.Join(paths(left), "\n"))
	}
}

// removeAll deletes every pod; no file of any sandbox stays.
func removeAll(t *testing.T, c *bed.Cluster, sandboxes []string) {
	t.Helper()
	c.Scale(0, 0)
	for _, p := range c.Pods() {
		if strings.HasPrefix(p.Name, "churn-") {
			c.DeletePod(p.Name)
		}
	}
	c.WaitPods(0)
	c.WaitNoFilesOf(sandboxes...)
	if left := garbage(c.Files()); len(left) > 0 {
		t.Errorf("files that stay when all pods are deleted:\n%s", strings.Join(paths(left), "\n"))
	}
}

// garbage gives the files of kinds that hostgc removes.
func garbage(files []bed.File) []bed.File {
	return slices.DeleteFunc(slices.Clone(files), func(f bed.File) bool { return !slices.Contains(collected, f.Kind) })
}
