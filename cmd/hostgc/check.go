package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/datadir"
	"github.com/hostgc/hostgc/kind/rke2data"
	"github.com/hostgc/hostgc/observe"
	"github.com/hostgc/hostgc/report"
)

// finding is one thing that check looked at.
type finding struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok, warn, fail
	Text   string `json:"text"`
	Fix    string `json:"fix,omitempty"`
}

const (
	ok   = "ok"
	warn = "warn" // hostgc judges, with less or later
	fail = "fail" // hostgc cannot judge or remove here
)

func (a *app) check() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Say whether hostgc can judge on this node, and for each problem what fixes it",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := open(&a.flags, a.log)
			if err != nil {
				return err
			}
			defer h.Close()
			findings, err := h.examine(cmd.Context())
			if err != nil {
				return stopped(err)
			}
			return a.tellFindings(findings)
		},
	}
}

func (a *app) tellFindings(findings []finding) error {
	var err error
	if a.flags.output == "table" {
		err = writeFindings(a.stdout, findings)
	} else {
		err = json.NewEncoder(a.stdout).Encode(map[string]any{"checks": findings})
	}
	if err != nil {
		return fmt.Errorf("writing the findings: %w", err)
	}
	for _, f := range findings {
		if f.Status == fail {
			return &codedError{exitBlind, fmt.Errorf("hostgc cannot judge here: %s", f.Name)}
		}
	}
	return nil
}

func writeFindings(w io.Writer, findings []finding) error {
	for _, f := range findings {
		text := f.Text
		if f.Fix != "" {
			text += ". FIX: " + f.Fix
		}
		if err := report.Entry(w, f.Status, f.Name+": "+text); err != nil {
			return err
		}
	}
	return nil
}

func (h *host) examine(ctx context.Context) ([]finding, error) {
	hearing, err := h.node.Hear(ctx)
	if err != nil {
		return nil, err
	}
	findings := []finding{h.checkUser(), h.checkRemoval()}
	for _, t := range hearing.Testimonies {
		findings = append(findings, checkWitness(t))
	}
	if !h.flags.offline() {
		findings = append(findings, h.checkProc(), checkClock(hearing.Terms))
	}
	findings = append(findings, h.checkDirs(hearing)...)
	findings = append(findings, h.checkDiscovery()...)
	trees, err := h.checkTrees(ctx)
	return append(findings, trees...), err
}

func (h *host) checkUser() finding {
	if uid := os.Geteuid(); uid != 0 {
		return finding{"user", warn, fmt.Sprintf("hostgc runs as user %d and can only remove what belongs to it", uid), "run it as root"}
	}
	return finding{"user", ok, "root", ""}
}

// checkRemoval asks for the remover, which tries openat2.
func (h *host) checkRemoval() finding {
	if len(h.node.Places) == 0 {
		return finding{"openat2", ok, "not tried: there is no directory to remove from", ""}
	}
	p := h.node.Places[0]
	if _, err := p.Dir.Remover(p.Kind.Match); err != nil {
		return finding{"openat2", fail, err.Error(), "Linux 5.6 or newer, and a seccomp profile that allows openat2 (RuntimeDefault does)"}
	}
	return finding{"openat2", ok, "works: names are removed through descriptors only", ""}
}

func checkWitness(t hostgc.Testimony) finding {
	name := "witness " + t.Witness
	if !t.Mute() {
		return finding{name, ok, t.Says, ""}
	}
	return finding{name, fail, "mute: " + t.Err, witnessFix(t.Witness)}
}

func witnessFix(witness string) string {
	return map[string]string{
		"cri":     "start the runtime, or name the node's own socket: --cri unix:///run/containerd/containerd.sock",
		"proc":    "hostPID: true and the capability SYS_PTRACE for hostgc's pod, or run it on the host as root",
		"runtime": "run as root, and mount the runtime's state directory (/run/containerd or /run/k3s) into hostgc's pod",
		"kubeapi": "hostPID: true for hostgc's pod, so that /proc tells instead; or let its account list pods",
		"crictl":  "crictl pods -o json > pods.json; crictl ps -a -o json > containers.json",
		"kubectl": "kubectl get pods -A -o json > kubectl-pods.json",
	}[witness]
}

func (h *host) checkProc() finding {
	if h.view != nil {
		return finding{"host PID namespace", warn, h.view.Error() + "; running pods are only known by the API server then", "hostPID: true for hostgc's pod"}
	}
	return finding{"host PID namespace", ok, "/proc shows the host's processes", ""}
}

// checkClock compares the wall clock with the boot clock by the one witness of
// both: when each runtime made its socket.
func checkClock(t hostgc.Terms) finding {
	for _, r := range t.Runtimes {
		if !r.Steady(t.Now) {
			return finding{"clock", warn,
				fmt.Sprintf("the clock and the start of %s (%s) do not agree, or its process is not seen: time stamps are not compared with the boot, and everything waits its full age", r.Name, r.Endpoint),
				"hostPID: true for hostgc's pod; if the clock was set since, restart the runtime or wait"}
		}
	}
	text := "up since " + t.Boot.UTC().Format(time.RFC3339)
	if len(t.Runtimes) > 0 {
		text += ", and the clock was not set since the runtime started"
	}
	return finding{"clock", ok, text, ""}
}

func (h *host) checkDirs(hearing hostgc.Hearing) []finding {
	if len(h.node.Places) == 0 {
		return []finding{{"directories", warn, "none of the known directories exists: nothing to judge", "if CNI state lies elsewhere: --dir multus-delegates=DIR"}}
	}
	var out []finding
	for _, p := range h.node.Places {
		out = append(out, h.checkDir(p, hearing.Controls[p.Dir.Path()]))
	}
	return out
}

func (h *host) checkDir(p observe.Place, c hostgc.Control) finding {
	name := p.Kind.Name + " " + p.Dir.Path()
	text, status := h.inodes(p.Dir.Path()), ok
	switch scope, why := c.Scope(); scope {
	case hostgc.ScopeNone:
		return finding{name, fail, why, "look at the sandboxes with crictl pods; give the right --root and --cri"}
	case hostgc.ScopeOld:
		text, status = text+"; "+why, warn
	case hostgc.ScopeAll:
		text += "; running sandboxes have entries here"
	}
	return finding{name, status, text, ""}
}

func (h *host) inodes(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(h.flags.root+dir, &st); err != nil || st.Files == 0 {
		return "free inodes are not known"
	}
	return fmt.Sprintf("%d of %d inodes free (%d %%)", st.Ffree, st.Files, st.Ffree*100/st.Files)
}

func (h *host) checkDiscovery() []finding {
	var out []finding
	for _, f := range h.layout.Found {
		out = append(out, finding{"discovery", ok, f, ""})
	}
	for _, w := range h.layout.Warnings {
		out = append(out, finding{"discovery", warn, w, ""})
	}
	return out
}

// checkTrees looks at the data directories of RKE2 and K3s, and at what RKE2's
// own cleaner does to them.
func (h *host) checkTrees(ctx context.Context) ([]finding, error) {
	forests, err := h.forests(ctx)
	if err != nil {
		return []finding{{"data directories", warn, err.Error(), ""}}, nil //nolint:nilerr // it is the finding
	}
	var out []finding
	for _, f := range forests {
		v, err := datadir.Look(ctx, f.product, f.dataDir, h.treeOptions(f))
		if err != nil {
			return out, err
		}
		text := fmt.Sprintf("%d versions, the running one is %s", len(v.Trees), cmp.Or(v.Current, "not known"))
		out = append(out, finding{f.kind.Name + " " + f.dir(), ok, text, ""})
		for _, t := range v.Hearing.Testimonies {
			if t.Mute() {
				out = append(out, checkWitness(t))
			}
		}
		if broken, advice := rke2data.Cleaner(f.product.Version(v.Current).String()); broken && f.product.Kind == rke2data.Name {
			out = append(out, finding{"RKE2's own cleaner", warn, "this version of RKE2 removes data directories that pods still need", advice})
		}
	}
	return out, nil
}
