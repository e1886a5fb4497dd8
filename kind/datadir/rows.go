package datadir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hostgc/hostgc"
)

// Row is one directory in the list that a node's owner needs.
type Row struct {
	Name    string         `json:"name"`
	Path    string         `json:"path"`
	Version string         `json:"version,omitempty"`
	Bytes   int64          `json:"bytes"`
	Verdict hostgc.Verdict `json:"verdict"`
	Current bool           `json:"current,omitempty"`
	KeptBy  []string       `json:"keptBy,omitempty"` // each in a line, in words
	// Pods are those that hold it, as namespace/name. FreedByPods: nothing else
	// does, so it goes when they are gone.
	Pods        []string `json:"pods,omitempty"`
	FreedByPods bool     `json:"freedByPods,omitempty"`
	FreedIf     string   `json:"freedIf,omitempty"`
}

// Rows gives a row for each directory.
func (v View) Rows() []Row {
	var rows []Row
	for i, t := range v.Trees {
		d := v.Decisions[i]
		r := Row{
			Name: t.Name, Path: t.Path(), Version: t.Version.String(), Bytes: t.Bytes,
			Verdict: d.Verdict, Current: t.Name == v.Current,
		}
		r.KeptBy, _ = v.Explain(t.Path()) // it is one of them
		r.Pods, r.FreedByPods = v.podsOf(t.Name)
		r.FreedByPods = r.FreedByPods && len(v.holds[t.Name]) == 0 && d.Verdict == hostgc.Live
		r.FreedIf = v.freedIf(t, r, d)
		if d.Verdict == hostgc.Garbage {
			r.KeptBy = nil
		}
		rows = append(rows, r)
	}
	return rows
}

// podsOf gives the pods that use a directory, and whether they alone do.
func (v View) podsOf(name string) (pods []string, alone bool) {
	alone = true
	for _, u := range v.uses {
		if u.Name != name {
			continue
		}
		switch {
		case u.Holder == "":
			alone = false
		case u.pod.known():
			pods = append(pods, u.pod.String())
		default:
			pods = append(pods, "sandbox "+short(u.Holder))
		}
	}
	slices.Sort(pods)
	pods = slices.Compact(pods)
	return pods, alone && len(pods) > 0
}

// freedIf says in a phrase what has to happen for a directory to go.
func (v View) freedIf(t *Tree, r Row, d hostgc.Decision) string {
	switch {
	case r.Current:
		return "another version runs"
	case d.Verdict == hostgc.Garbage:
		return "it is swept: nothing keeps it"
	case r.FreedByPods:
		return "these pods are deleted: " + strings.Join(r.Pods, ", ")
	case d.Verdict == hostgc.Young && t.Newest.Before(v.At):
		return "nothing in it changes until " + stampWords(t.Newest.Add(v.Hearing.Terms.Age))
	case d.Rule() == hostgc.RuleHeld:
		return "this ends: " + v.holds[t.Name][0]
	case len(r.Pods) > 0:
		return "these pods are deleted, and what else keeps it ends: " + strings.Join(r.Pods, ", ")
	}
	return "what keeps it ends"
}

// Restarts says which pods to delete to free how much: a line for each
// directory that pods alone hold, the largest first.
func Restarts(rows []Row) []string {
	free := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !r.FreedByPods })
	slices.SortStableFunc(free, func(a, b Row) int { return int(min(max(b.Bytes-a.Bytes, -1), 1)) })
	var lines []string
	for _, r := range free {
		lines = append(lines, fmt.Sprintf("delete %s (%s) to free %s", count(len(r.Pods), "pod"), strings.Join(r.Pods, ", "), megabytes(r.Bytes)))
	}
	return lines
}
