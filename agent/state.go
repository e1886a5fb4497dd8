package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/hostgc/hostgc"
)

// State is what survives a restart of the agent. Its size is bounded: it names
// kinds, and nothing else of the node.
type State struct {
	Rounds  map[string]int   `json:"rounds"`  // by kind: cycles that removed something, for the ramp
	Removed map[string]int64 `json:"removed"` // by kind: objects, ever
	Bytes   int64            `json:"bytes"`   // that all removals freed, ever
}

// NewState is the state of an agent that is new on its node.
func NewState() State { return State{Rounds: map[string]int{}, Removed: map[string]int64{}} }

// Limits gives the most that the next cycle may remove of each kind.
func (s State) Limits(kinds []string) map[string]int {
	limits := map[string]int{}
	for _, k := range kinds {
		limits[k] = hostgc.Ramp(s.Rounds[k])
	}
	return limits
}

// add counts a cycle, and reports whether that changed anything.
func (s *State) add(r Result) bool {
	changed := false
	for kind, n := range r.Removed {
		if n > 0 {
			s.Rounds[kind]++
			s.Removed[kind] += int64(n)
			changed = true
		}
	}
	s.Bytes += r.Bytes
	return changed
}

// stateFile is the name of the state's file in its directory; maxState is more
// than it can grow to.
const (
	stateFile = "state.json"
	maxState  = 64 << 10
)

// Load reads the state of an agent from its directory. Where there is none it
// is new. With an error that says why the state cannot be used, a new one is
// given too: the ramp then starts anew, and no harm is done.
func Load(dir string, kinds []string) (State, error) {
	s, err := read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return NewState(), nil
	}
	if err != nil {
		return NewState(), fmt.Errorf("reading the agent's state in %s: %w", dir, err)
	}
	known := NewState()
	for _, k := range kinds {
		if n := s.Rounds[k]; n > 0 {
			known.Rounds[k] = n
		}
		if n := s.Removed[k]; n > 0 {
			known.Removed[k] = n
		}
	}
	known.Bytes = max(s.Bytes, 0)
	return known, nil
}

func read(dir string) (State, error) {
	var s State
	root, err := os.OpenRoot(dir)
	if err != nil {
		return s, err
	}
	defer root.Close() //nolint:errcheck // only read
	f, err := root.Open(stateFile)
	if err != nil {
		return s, err
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(f, maxState+1))
	if err != nil {
		return s, err
	}
	if len(b) > maxState {
		return s, fmt.Errorf("%s has more than %d bytes: it was not written by hostgc", stateFile, maxState)
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("%s does not decode, and is written anew: %w", stateFile, err)
	}
	return s, nil
}

// Save writes the state beside the old one and puts it in its place: a crash
// leaves either. On a file system without a free inode it fails, and the old
// one stays. It follows no link out of the directory.
func (s State) Save(dir string) error {
	if err := s.save(dir); err != nil {
		return fmt.Errorf("saving the agent's state in %s: %w", dir, err)
	}
	return nil
}

func (s State) save(dir string) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // what was written is closed below
	const beside = stateFile + ".new"
	f, err := root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return root.Rename(beside, stateFile)
}
