package datadir_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/safefs"
	"github.com/hostgc/hostgc/kind/datadir"
	"github.com/hostgc/hostgc/kind/datadir/datadirtest"
	"github.com/hostgc/hostgc/kind/k3sdata"
	"github.com/hostgc/hostgc/kind/rke2data"
)

const data = "/var/lib/rancher/rke2/data/"

// remover does on a node in memory what safefs does on a disk.
type remover struct {
	node    *datadirtest.Node
	left    []string // what a crash has left set aside
	between func()   // what happens after a directory was set aside
	removed []string
	judged  []hostgc.Identity
}

func (r *remover) Remove(ctx context.Context, name string, judged hostgc.Identity, recheck safefs.Recheck) (safefs.RemovedTree, error) {
	aside := ".hostgc-" + name
	r.node.Rename(data+name, data+aside)
	r.between()
	if err := recheck(ctx, aside); err != nil {
		r.node.Rename(data+aside, data+name)
		return safefs.RemovedTree{}, err
	}
	r.removed, r.judged = append(r.removed, name), append(r.judged, judged)
	return safefs.RemovedTree{Name: name, Inodes: 3, Bytes: 100}, nil
}

func (r *remover) Resume(ctx context.Context, recheck safefs.Recheck) ([]safefs.RemovedTree, error) {
	var gone []safefs.RemovedTree
	for _, aside := range r.left {
		if err := recheck(ctx, aside); err != nil {
			return gone, err
		}
		gone = append(gone, safefs.RemovedTree{Name: aside, Bytes: 7})
	}
	return gone, nil
}

func cleaning(t *testing.T) (*datadirtest.Node, *remover, datadir.Options) {
	t.Helper()
	n := nodeWith(t, "", nil)
	r := &remover{node: n, between: func() {}}
	o := n.Options()
	o.Mode, o.Remover = hostgc.ModeEnforce, r
	o.Wait = func(context.Context, time.Duration) error { return nil }
	return n, r, o
}

func clean(t *testing.T, o datadir.Options) (datadir.Report, error) {
	t.Helper()
	return datadir.Clean(t.Context(), rke2data.Product(), "/var/lib/rancher/rke2", o, slog.New(slog.DiscardHandler))
}

func entry(t *testing.T, r datadir.Report, name string) datadir.Entry {
	t.Helper()
	for _, e := range r.Entries {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("nothing is reported of %s: %+v", name, r.Entries)
	return datadir.Entry{}
}

func TestCleanRemovesWhatIsGarbageTwice(t *testing.T) {
	n, r, o := cleaning(t)
	waited := time.Duration(0)
	o.Wait = func(_ context.Context, d time.Duration) error { waited = d; return nil }
	v, err := n.Look(t.Context(), rke2data.Product())
	if err != nil {
		t.Fatal(err)
	}
	report, err := clean(t, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{oldTree}, r.removed); diff != "" {
		t.Error(diff)
	}
	if !r.judged[0].Same(v.Trees[0].ID) || v.Trees[0].Name != oldTree {
		t.Errorf("judged %+v, not %+v", r.judged[0], v.Trees[0].ID)
	}
	if waited != datadir.DefaultSettle || report.Freed != 100 || report.Mode != hostgc.ModeEnforce || !entry(t, report, oldTree).Removed {
		t.Errorf("waited %s, %+v", waited, report)
	}
	if e := entry(t, report, newTree); e.Removed || e.Verdict != hostgc.Live || len(e.Reasons) == 0 {
		t.Errorf("%+v", e)
	}
}

func TestCleanOnlyReports(t *testing.T) {
	for name, change := range map[string]func(*datadir.Options){
		"by default": func(o *datadir.Options) { o.Mode = "" },
		"told so":    func(o *datadir.Options) { o.Mode = hostgc.ModeReport },
	} {
		_, r, o := cleaning(t)
		change(&o)
		o.Wait = func(context.Context, time.Duration) error { t.Error("waits"); return nil }
		report, err := clean(t, o)
		if err != nil || r.removed != nil || report.Mode != hostgc.ModeReport || entry(t, report, oldTree).Verdict != hostgc.Garbage {
			t.Errorf("%s: removed %v, %+v, %v", name, r.removed, report, err)
		}
	}
}

func TestCleanKeepsWhatIsUsedAtTheSecondLook(t *testing.T) {
	n, r, o := cleaning(t)
	o.Wait = func(context.Context, time.Duration) error {
		return n.Do("process 430 " + data + oldTree + "/bin/containerd-shim-runc-v2")
	}
	report, err := clean(t, o)
	if err != nil || r.removed != nil || entry(t, report, oldTree).Verdict != hostgc.Live {
		t.Errorf("removed %v, %+v, %v", r.removed, report, err)
	}
}

func TestCleanKeepsWhatChangedInBetween(t *testing.T) {
	n, r, o := cleaning(t)
	o.Wait = func(context.Context, time.Duration) error { return n.Do("touch " + data + oldTree + "/bin/runc 100h") }
	report, err := clean(t, o)
	e := entry(t, report, oldTree)
	if err != nil || r.removed != nil || !strings.Contains(strings.Join(e.Reasons, "\n"), "kept: it was not garbage, or not the same") {
		t.Errorf("removed %v, %+v, %v", r.removed, e, err)
	}
}

// TestRecheck: each kind of use that appears after the directory was set aside
// makes the remover take it back.
func TestRecheck(t *testing.T) {
	shim := "/bin/containerd-shim-runc-v2"
	for name, tt := range map[string]struct{ line, why string }{
		"by inode, path as before": {"process 430 " + data + oldTree + shim + "\nbehind 430/exe = " + data + ".hostgc-" + oldTree + shim, "still runs with the shim"},
		"by inode, path elsewhere": {"process 430 /x\nbehind 430/exe = " + data + ".hostgc-" + oldTree + shim, "still runs the x"},
		"by its new name":          {"process 430 " + data + ".hostgc-" + oldTree + shim, "still runs with the shim"},
		"by the name on record":    {"process 430 /x --path " + data + oldTree + "/bin", "in its command line"},
		"mounted by the new name":  {"process 430 /x\nmount 430 mnt:[7] 60 1 8:1 /rke2/data/.hostgc-" + oldTree + " /x ro - ext4 /dev/sda1 rw", "is mounted at /x"},
		"not quiet":                {"process 430 /usr/bin/systemctl restart rke2-server", "is being started or stopped"},
		"unreadable":               {"process 430 /x\ndeny proc/430/exe", "CAP_SYS_PTRACE"},
		"gone":                     {"touch / 200h", ""},
	} {
		t.Run(name, func(t *testing.T) {
			n, r, o := cleaning(t)
			r.between = func() {
				if err := n.Do(tt.line); err != nil {
					t.Fatal(err)
				}
				if name == "gone" {
					n.Rename(data+".hostgc-"+oldTree, "/elsewhere")
				}
			}
			report, err := clean(t, o)
			if err == nil || !strings.Contains(err.Error(), tt.why) || r.removed != nil || report.Freed != 0 {
				t.Errorf("removed %v, %v", r.removed, err)
			}
			if e := entry(t, report, oldTree); e.Removed || e.Err == "" {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestRecheckOfAForeignName(t *testing.T) {
	n, _, o := cleaning(t)
	if err := datadir.Recheck(t.Context(), rke2data.Product(), n.DataDir, o, oldTree); err == nil {
		t.Error("a directory that was not set aside passes")
	}
	n.Rename(data+oldTree, data+".hostgc-"+oldTree)
	if err := datadir.Recheck(t.Context(), rke2data.Product(), n.DataDir, n.Options(), ".hostgc-"+oldTree); err != nil {
		t.Errorf("one that nobody uses does not: %v", err)
	}
}

func TestCleanResumes(t *testing.T) {
	n, r, o := cleaning(t)
	n.Rename(data+oldTree, data+".hostgc-"+oldTree)
	r.left = []string{".hostgc-" + oldTree}
	if report, err := clean(t, o); err != nil || report.Freed != 7 {
		t.Errorf("%+v, %v", report, err)
	}
	if err := n.Do("process 430 " + data + oldTree + "/bin/containerd-shim-runc-v2"); err != nil {
		t.Fatal(err)
	}
	if report, err := clean(t, o); err == nil || !strings.Contains(err.Error(), "still runs with the shim") || report.Freed != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestCleanFails(t *testing.T) {
	_, _, o := cleaning(t)
	o.Wait = func(context.Context, time.Duration) error { return context.Canceled }
	if _, err := clean(t, o); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted wait: %v", err)
	}
	_, _, o = cleaning(t)
	o.Remover = nil
	if _, err := clean(t, o); err == nil || !strings.Contains(err.Error(), "no remover") {
		t.Errorf("without a remover: %v", err)
	}
	n, _, o := cleaning(t)
	if err := n.Do("deny root/var/lib/rancher/rke2/data"); err != nil {
		t.Fatal(err)
	}
	if _, err := clean(t, o); err == nil {
		t.Error("a directory that cannot be listed is no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, o = cleaning(t)
	if _, err := datadir.Clean(ctx, rke2data.Product(), "/var/lib/rancher/rke2", o, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestNothingThere(t *testing.T) {
	n := nodeWith(t, "", nil)
	v, err := datadir.Look(t.Context(), k3sdata.Product(), "/var/lib/rancher/k3s", n.Options())
	if err != nil || len(v.Decisions) != 0 {
		t.Errorf("%+v, %v", v.Decisions, err)
	}
	if _, err := v.Explain(data + oldTree); !errors.Is(err, datadir.ErrNoTree) {
		t.Errorf("explained: %v", err)
	}
}
