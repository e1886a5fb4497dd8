package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/docker/go-units"

	"github.com/hostgc/hostgc"
)

// width is that of the narrowest terminal that people use.
const width = 80

// Table writes what was found for a person on a terminal: a row a kind, then
// the causes, what could not be judged, and what to do next.
type Table struct {
	Node   string
	At     time.Time
	Swept  bool // after a sweep: say what was removed
	DryRun bool
}

// Write writes the table.
func (tb Table) Write(w io.Writer, t *Tally) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n\n", tb.Node, tb.At.UTC().Format("2006-01-02 15:04 UTC"))
	tb.rows(&b, t)
	tb.witnesses(&b, t.Hearing)
	tb.causes(&b, t.Total())
	counted(&b, "Not judged", t.Blind)
	counted(&b, "Kept because it was not understood", t.Kept)
	if tb.Swept {
		counted(&b, "Garbage that was left", t.Left)
	}
	tb.next(&b, t)
	_, err := io.WriteString(w, b.String())
	return err
}

func (tb Table) rows(b *strings.Builder, t *Tally) {
	last := "INODES"
	if tb.Swept {
		last = "REMOVED"
	}
	fmt.Fprintf(b, "%-18s %-7s %7s %6s %7s %8s %9s %8s\n",
		"KIND", "MODE", "LIVE", "YOUNG", "UNKNOWN", "GARBAGE", "BYTES", last)
	for _, s := range append(t.Summaries(), t.Total()) {
		n := s.Inodes
		if tb.Swept {
			n = s.Removed
		}
		fmt.Fprintf(b, "%-18s %-7s %7d %6d %7d %8d %9s %8d\n", s.Kind, s.Mode, s.Live, s.Young,
			s.Unknown, s.Garbage, units.CustomSize("%.4g %s", float64(s.Bytes), 1024, []string{"B", "KiB", "MiB", "GiB", "TiB"}), n)
	}
}

func (tb Table) witnesses(b *strings.Builder, h hostgc.Hearing) {
	b.WriteString("\nWitnesses\n")
	for _, t := range h.Testimonies {
		says := t.Says
		if t.Mute() {
			says = "MUTE: " + t.Err
		}
		entry(b, t.Witness, says)
	}
}

func (tb Table) causes(b *strings.Builder, total Summary) {
	if len(total.Causes) == 0 {
		return
	}
	b.WriteString("\nWhy it leaked\n")
	for _, cause := range byCount(total.Causes) {
		d, _ := hostgc.Diagnose(cause)
		entry(b, fmt.Sprint(total.Causes[cause]), cause+": "+d.What)
		if d.Cure != "" {
			entry(b, "", "Cure: "+d.Cure)
		}
	}
}

func counted(b *strings.Builder, title string, reasons map[string]int) {
	if len(reasons) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for _, why := range byCount(reasons) {
		entry(b, fmt.Sprint(reasons[why]), why)
	}
}

func (tb Table) next(b *strings.Builder, t *Tally) {
	total := t.Total()
	b.WriteString("\nNext\n")
	if t.Failed > 0 {
		entry(b, "!", fmt.Sprintf("%d could not be removed: %v", t.Failed, t.Failure))
	}
	if !t.Judged() {
		entry(b, "", "hostgc check                 what keeps hostgc from judging here, and the cure")
	}
	left := 0 // that a sweep would remove
	for _, s := range t.Summaries() {
		if s.Mode == hostgc.ModeEnforce {
			left += s.Garbage - s.Removed
		}
	}
	switch {
	case tb.Swept && total.Garbage == total.Removed && total.Removed > 0:
		entry(b, "", "nothing: all that was garbage is gone")
	case left > 0 && (tb.DryRun || !tb.Swept):
		entry(b, "", fmt.Sprintf("hostgc sweep                 remove %d, after a second look", left))
	case total.Garbage == 0 && t.Judged():
		entry(b, "", "nothing to remove")
	}
	for _, s := range t.Summaries() {
		if s.Mode == hostgc.ModeReport && s.Garbage > 0 {
			entry(b, "", fmt.Sprintf("%s is only reported: kinds: {%s: {mode: enforce}} in the configuration lets hostgc remove the %d", s.Kind, s.Kind, s.Garbage))
		}
	}
	if p := tb.example(t); p != "" {
		fmt.Fprintf(b, "%12shostgc explain \\\n  %s\n", "", p)
	}
}

// example picks a path that is worth explaining.
func (tb Table) example(t *Tally) string {
	verdicts := []hostgc.Verdict{hostgc.Garbage, hostgc.Unknown, hostgc.Young}
	if tb.Swept && !tb.DryRun {
		verdicts = verdicts[1:]
	}
	for _, v := range verdicts {
		if p := t.Example[v]; p != "" {
			return p
		}
	}
	return ""
}

// entry writes a labelled text, wrapped and indented.
func entry(b *strings.Builder, label, text string) {
	const indent = 12
	lead := fmt.Sprintf("  %-*s", indent-2, label)
	if len(label) >= indent-2 {
		lead = fmt.Sprintf("  %s\n%*s", label, indent, "")
	}
	for _, line := range wrap(text, width-indent) {
		fmt.Fprintf(b, "%s%s\n", lead, line)
		lead = strings.Repeat(" ", indent)
	}
}

// wrap breaks text at spaces into lines of at most n columns, where it can.
func wrap(text string, n int) []string {
	if len(text) <= n {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > n:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// Entry writes one labelled text, wrapped for a terminal.
func Entry(w io.Writer, label, text string) error {
	var b strings.Builder
	entry(&b, label, text)
	_, err := io.WriteString(w, b.String())
	return err
}
