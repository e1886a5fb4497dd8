package datadir

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/safefs"
)

// Report is what a clean-up did.
type Report struct {
	Dir     string      `json:"dir"`
	Mode    hostgc.Mode `json:"mode"`
	Freed   int64       `json:"freedBytes"`
	Entries []Entry     `json:"directories"`

	// View is the last look, for who wants to know more.
	View View `json:"-"`
}

// Entry is what became of one directory.
type Entry struct {
	Name    string         `json:"name"`
	Bytes   int64          `json:"bytes"`
	Verdict hostgc.Verdict `json:"verdict"`
	Removed bool           `json:"removed,omitempty"`
	Kept    string         `json:"kept,omitempty"`  // why Options.Keep keeps it, though it is garbage
	Reasons []string       `json:"reasons"`         // why it is kept, or on what its removal rests
	Err     string         `json:"error,omitempty"` // why it could not be removed
}

// Clean judges the directories twice and removes those that were garbage both
// times, in the same state. It returns a report also where some could not be
// removed; the error then tells which.
//
// Report mode stops after the first look.
func Clean(ctx context.Context, p Product, dataDir string, o Options, log *slog.Logger) (Report, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := Report{Dir: DataOf(dataDir), Mode: hostgc.ModeReport}
	done, err := o.fill(p, dataDir)
	if err != nil {
		return r, fmt.Errorf("cleaning %s: %w", r.Dir, err)
	}
	defer done()
	c := &cleaning{product: p, dataDir: dataDir, options: &o, log: log.With("kind", p.Kind, "dir", r.Dir), report: r}
	if err := c.run(ctx); err != nil {
		return c.report, fmt.Errorf("cleaning %s: %w", r.Dir, err)
	}
	return c.report, nil
}

type cleaning struct {
	product Product
	dataDir string
	options *Options
	log     *slog.Logger
	report  Report
}

func (c *cleaning) run(ctx context.Context) error {
	enforce := c.options.Mode == hostgc.ModeEnforce && c.options.Remover != nil
	var errs []error
	if enforce {
		c.report.Mode = hostgc.ModeEnforce
		errs = append(errs, c.resume(ctx))
	}
	first, err := look(ctx, c.product, c.dataDir, c.options, "", "")
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	condemned := garbage(first)
	if !enforce || len(condemned) == 0 {
		c.tell(first, nil)
		return errors.Join(errs...)
	}
	if err := c.options.Wait(ctx, c.options.Settle); err != nil {
		return errors.Join(append(errs, fmt.Errorf("between the looks: %w", err))...)
	}
	second, err := look(ctx, c.product, c.dataDir, c.options, "", "")
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	c.tell(second, condemned)
	return errors.Join(append(errs, c.remove(ctx, second, condemned)...)...)
}

// garbage gives the state of each directory that is garbage.
func garbage(v View) map[string]hostgc.Identity {
	out := map[string]hostgc.Identity{}
	for _, d := range v.Decisions {
		if d.Verdict == hostgc.Garbage {
			out[d.Object.Name] = d.Object.ID
		}
	}
	return out
}

// resume lets the remover go on with what a crash left half done. Set aside
// but whole, a directory goes only if it is garbage still.
func (c *cleaning) resume(ctx context.Context) error {
	gone, err := c.options.Remover.Resume(ctx, c.recheck)
	for _, g := range gone {
		c.log.Info("finished a removal that was interrupted", "name", g.Name, "bytes", g.Bytes)
		c.report.Freed += g.Bytes
	}
	if err != nil {
		return fmt.Errorf("finishing an interrupted removal: %w", err)
	}
	return nil
}

// Recheck objects, with the reason, unless a directory that a remover has set
// aside under the name renamed is still garbage: no process has anything of it
// by inode, no record names it, and the supervisor is quiet.
func Recheck(ctx context.Context, p Product, dataDir string, o Options, renamed string) error {
	o.Mode = hostgc.ModeReport
	done, err := o.fill(p, dataDir)
	if err != nil {
		return err
	}
	defer done()
	return recheck(ctx, p, dataDir, &o, renamed)
}

func (c *cleaning) recheck(ctx context.Context, renamed string) error {
	return recheck(ctx, c.product, c.dataDir, c.options, renamed)
}

func recheck(ctx context.Context, p Product, dataDir string, o *Options, renamed string) error {
	name, _, ok := safefs.TreeName(renamed)
	if !ok {
		return fmt.Errorf("%q is not the name of a directory that was set aside", renamed)
	}
	v, err := look(ctx, p, dataDir, o, name, renamed)
	if err != nil {
		return err
	}
	if d, _ := v.Decision(name); d.Verdict != hostgc.Garbage {
		return errors.New(d.Because[0].Text)
	}
	return nil
}

// tell puts a look into the report.
func (c *cleaning) tell(v View, condemned map[string]hostgc.Identity) {
	c.report.View = v
	for _, d := range v.Decisions {
		e := Entry{Name: d.Object.Name, Bytes: d.Object.ID.Alloc, Verdict: d.Verdict}
		if lines, err := v.Explain(d.Object.Path()); err == nil {
			e.Reasons = lines
		}
		if d.Verdict == hostgc.Garbage && condemned != nil && !same(condemned, d.Object) {
			e.Reasons = append(e.Reasons, "kept: it was not garbage, or not the same, at the first look; it goes when two looks in a row say so")
		}
		c.report.Entries = append(c.report.Entries, e)
	}
}

func same(condemned map[string]hostgc.Identity, o hostgc.Object) bool {
	id, ok := condemned[o.Name]
	return ok && id.Same(o.ID)
}

func (c *cleaning) remove(ctx context.Context, v View, condemned map[string]hostgc.Identity) []error {
	var errs []error
	for i, d := range v.Decisions {
		if d.Verdict != hostgc.Garbage || !same(condemned, d.Object) {
			continue
		}
		e := &c.report.Entries[i]
		if c.options.Keep != nil {
			if e.Kept = c.options.Keep(d.Object); e.Kept != "" {
				continue
			}
		}
		gone, err := c.options.Remover.Remove(ctx, e.Name, v.Trees[i].ID, c.recheck)
		c.report.Freed += gone.Bytes
		if err != nil {
			e.Err = err.Error()
			c.log.Warn("not removed", "name", e.Name, "error", err)
			errs = append(errs, err)
			continue
		}
		e.Removed = true
		c.log.Info("removed", "name", e.Name, "bytes", gone.Bytes, "inodes", gone.Inodes)
	}
	return errs
}
