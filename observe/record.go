package observe

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hostgc/hostgc"
)

// A recording is everything that the judge saw, as JSON lines: one header,
// then each hearing followed by the objects that were judged by it. It holds
// names of pods, networks and IP addresses, and no content of files.
type line struct {
	Header  *Header         `json:"header,omitempty"`
	Hearing *hostgc.Hearing `json:"hearing,omitempty"`
	Object  *hostgc.Object  `json:"object,omitempty"`
}

// Header opens a recording.
type Header struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // of hostgc
	Node    string    `json:"node"`
	At      time.Time `json:"at"`
}

const recordingFormat = 1

// Recorder is a Visitor that writes a recording.
type Recorder struct {
	w   *bufio.Writer
	enc *json.Encoder
}

// NewRecorder starts a recording.
func NewRecorder(w io.Writer, h Header) (*Recorder, error) {
	h.Format = recordingFormat
	buf := bufio.NewWriter(w)
	r := &Recorder{w: buf, enc: json.NewEncoder(buf)}
	return r, r.enc.Encode(line{Header: &h})
}

// Hear records a hearing.
func (r *Recorder) Hear(h hostgc.Hearing) error { return r.enc.Encode(line{Hearing: &h}) }

// Decide records the object as it was judged, with the cause that was found.
func (r *Recorder) Decide(_ *Place, d hostgc.Decision) error {
	return r.enc.Encode(line{Object: &d.Object})
}

// Flush writes what is buffered.
func (r *Recorder) Flush() error { return r.w.Flush() }

// Replay judges a recording anew, with the kinds of this hostgc.
func Replay(in io.Reader, kinds []hostgc.Kind, hear func(Header, hostgc.Hearing) error, decide func(hostgc.Decision) error) error {
	byName := map[string]*hostgc.Kind{}
	for i := range kinds {
		byName[kinds[i].Name] = &kinds[i]
	}
	p := replay{kinds: byName, hear: hear, decide: decide}
	dec := json.NewDecoder(bufio.NewReader(in))
	for n := 1; ; n++ {
		var l line
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return p.end()
		} else if err != nil {
			return fmt.Errorf("line %d is not of a recording (made by hostgc observe): %w", n, err)
		}
		if err := p.line(l); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
}

type replay struct {
	kinds  map[string]*hostgc.Kind
	header *Header
	bench  *hostgc.Bench
	hear   func(Header, hostgc.Hearing) error
	decide func(hostgc.Decision) error
}

func (p *replay) line(l line) error {
	switch {
	case l.Header != nil:
		if l.Header.Format != recordingFormat {
			return fmt.Errorf("the recording has format %d, and this hostgc reads %d: use the hostgc that made it (%s)", l.Header.Format, recordingFormat, l.Header.Version)
		}
		p.header = l.Header
	case p.header == nil:
		return errors.New("a recording starts with its header; this is no recording made by hostgc observe")
	case l.Hearing != nil:
		p.bench = l.Hearing.Bench(p.bench)
		return p.hear(*p.header, *l.Hearing)
	case l.Object != nil && p.bench != nil:
		return p.object(*l.Object)
	default:
		return errors.New("neither a hearing nor an object that follows one")
	}
	return nil
}

func (p *replay) object(o hostgc.Object) error {
	kind, ok := p.kinds[o.Kind]
	if !ok {
		return fmt.Errorf("%s is of kind %q, which this hostgc does not know", o.Path(), o.Kind)
	}
	p.bench.Learn(o)
	return p.decide(p.bench.Judge(kind, o))
}

func (p *replay) end() error {
	if p.header == nil {
		return errors.New("the file is empty, and no recording")
	}
	return nil
}
