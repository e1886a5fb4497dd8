package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/sweep"
)

// Decision is a decision as it is written: the documented form of it.
type Decision struct {
	Kind    string          `json:"kind"`
	Path    string          `json:"path"`
	Verdict hostgc.Verdict  `json:"verdict"`
	Cause   string          `json:"cause,omitempty"`
	Removed bool            `json:"removed,omitempty"`
	Kept    string          `json:"kept,omitempty"`
	Error   string          `json:"error,omitempty"`
	Owner   hostgc.Owner    `json:"owner"`
	Because []hostgc.Reason `json:"because"`
}

// Witness is a testimony as it is written: counts, and not each claim.
type Witness struct {
	Name   string    `json:"name"`
	At     time.Time `json:"at"`
	Claims int       `json:"claims"`
	Says   string    `json:"says,omitempty"`
	Error  string    `json:"error,omitempty"`
}

// NewDecision gives the written form of a decision and its outcome.
func NewDecision(d hostgc.Decision, done sweep.Outcome) Decision {
	out := Decision{
		Kind: d.Object.Kind, Path: d.Object.Path(), Verdict: d.Verdict, Cause: d.Object.Cause,
		Removed: done.Removed, Kept: done.Kept, Owner: d.Object.Owner, Because: d.Because,
	}
	if done.Err != nil {
		out.Error = done.Err.Error()
	}
	return out
}

// Witnesses gives the written form of what was heard.
func Witnesses(h hostgc.Hearing) []Witness {
	out := make([]Witness, 0, len(h.Testimonies))
	for _, t := range h.Testimonies {
		out = append(out, Witness{t.Witness, t.At, len(t.Claims), t.Says, t.Err})
	}
	return out
}

// Writer writes a report while it is made. It is a sweep.Sink; Close ends the
// document with the tally's counts.
type Writer interface {
	sweep.Sink
	Close(t *Tally) error
}

// NewWriter gives a writer for a format: json, yaml or jsonl.
func NewWriter(format string, w io.Writer, node string, at time.Time) (Writer, error) {
	switch format {
	case "json":
		return &jsonWriter{w: w, node: node, at: at}, nil
	case "yaml":
		return &yamlWriter{w: w, node: node, at: at}, nil
	case "jsonl":
		return &lineWriter{enc: json.NewEncoder(w), node: node, at: at}, nil
	}
	return nil, fmt.Errorf("unknown output format %q: use table, json, yaml or jsonl", format)
}

// jsonWriter writes one document whose decisions are streamed.
type jsonWriter struct {
	w    io.Writer
	node string
	at   time.Time
	n    int
}

func (j *jsonWriter) Hear(hostgc.Hearing) error { return nil }

func (j *jsonWriter) Decide(d hostgc.Decision, done sweep.Outcome) error {
	lead := ",\n"
	if j.n == 0 {
		lead = j.head()
	}
	j.n++
	b, err := json.Marshal(NewDecision(d, done))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.w, "%s%s", lead, b)
	return err
}

func (j *jsonWriter) head() string {
	node, _ := json.Marshal(j.node) // a string always encodes
	return fmt.Sprintf("{\"node\":%s,\"at\":%q,\"decisions\":[\n", node, j.at.UTC().Format(time.RFC3339))
}

func (j *jsonWriter) Close(t *Tally) error {
	head := ""
	if j.n == 0 {
		head = j.head()
	}
	summary, err := json.Marshal(t.Summaries())
	if err != nil {
		return err
	}
	witnesses, err := json.Marshal(Witnesses(t.Hearing))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.w, "%s\n],\n\"summary\":%s,\n\"witnesses\":%s}\n", head, summary, witnesses)
	return err
}

// yamlWriter writes the same document as YAML.
type yamlWriter struct {
	w    io.Writer
	node string
	at   time.Time
	n    int
}

func (y *yamlWriter) Hear(hostgc.Hearing) error { return nil }

func (y *yamlWriter) Decide(d hostgc.Decision, done sweep.Outcome) error {
	if y.n == 0 {
		if err := y.head("decisions:\n"); err != nil {
			return err
		}
	}
	y.n++
	return y.write([]Decision{NewDecision(d, done)})
}

func (y *yamlWriter) head(decisions string) error {
	if err := y.write(map[string]string{"node": y.node, "at": y.at.UTC().Format(time.RFC3339)}); err != nil {
		return err
	}
	_, err := io.WriteString(y.w, decisions)
	return err
}

func (y *yamlWriter) write(v any) error {
	b, err := yaml.Marshal(v)
	if err != nil {
		return err
	}
	_, err = io.Copy(y.w, bytes.NewReader(b))
	return err
}

func (y *yamlWriter) Close(t *Tally) error {
	if y.n == 0 {
		if err := y.head("decisions: []\n"); err != nil {
			return err
		}
	}
	return y.write(map[string]any{"summary": t.Summaries(), "witnesses": Witnesses(t.Hearing)})
}

// lineWriter writes one JSON object a line, each under its own key, for
// programs that cannot hold a million decisions.
type lineWriter struct {
	enc  *json.Encoder
	node string
	at   time.Time
}

func (l *lineWriter) Hear(hostgc.Hearing) error { return nil }

func (l *lineWriter) Decide(d hostgc.Decision, done sweep.Outcome) error {
	return l.enc.Encode(map[string]Decision{"decision": NewDecision(d, done)})
}

func (l *lineWriter) Close(t *Tally) error {
	return l.enc.Encode(map[string]any{"report": map[string]any{
		"node": l.node, "at": l.at.UTC().Format(time.RFC3339),
		"summary": t.Summaries(), "witnesses": Witnesses(t.Hearing),
	}})
}
