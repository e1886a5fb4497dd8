package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"
	_ "time/tzdata" // a scratch image has no time zones

	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/config"
)

// settings are a configuration that was accepted, and the flags over it.
type settings struct {
	flags    flags
	config   config.Config
	calendar config.Calendar
}

func (s *settings) times() agent.Times {
	return agent.Times{Interval: time.Duration(s.config.Interval), Jitter: time.Duration(s.config.Jitter), Settle: time.Duration(s.config.Settle)}
}

// settle reads the configuration with which the agent begins.
func (a *app) settle(f runFlags) (*settings, error) {
	content, err := a.readConfig()
	if err != nil {
		return nil, usage(err)
	}
	return a.accept(f, content)
}

func (a *app) readConfig() ([]byte, error) {
	if a.flags.config == "" {
		return nil, nil
	}
	content, err := os.ReadFile(a.flags.config)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return content, nil
}

// accept checks a configuration by all that a cycle does with it, up to opening
// the node. What is accepted no longer depends on the file.
func (a *app) accept(f runFlags, content []byte) (*settings, error) {
	if _, err := config.Parse(content, kindNames()); err != nil {
		return nil, usagef("configuration %s: %w", a.flags.config, err)
	}
	s := &settings{flags: a.flags}
	s.flags.held = content
	return s, s.check(a, f)
}

func (s *settings) check(a *app, f runFlags) error {
	h, err := open(&s.flags, a.log)
	if err != nil {
		return err
	}
	h.Close()
	s.config = h.config
	f.over(&s.config)
	if s.calendar, err = s.config.Calendar(); err != nil {
		return usage(err)
	}
	if t := s.times(); t.Interval < t.Settle || t.Interval <= 0 || t.Jitter < 0 {
		return usagef("--interval %s must be at least the settle time, %s, for a cycle confirms the one before; --jitter must not be negative", t.Interval, t.Settle)
	}
	return nil
}

// reload reads the file anew and reports whether another configuration is in
// use now. The content is compared, and not the file's identity: a ConfigMap's
// link, an editor's rename and a write in place are all the same then.
func (w *worker) reload(forced bool) bool {
	content, err := w.readConfig()
	if err == nil && bytes.Equal(content, w.settings.flags.held) {
		if w.refused != "" {
			w.refused = ""
			w.metrics.Accepted(time.Now(), w.settings.times())
			w.log.Info("the configuration is again the one in use", "file", w.flags.config)
		}
		return false
	}
	var next *settings
	if err == nil {
		next, err = w.accept(w.run, content)
	}
	if err != nil {
		w.refuse(content, err, forced)
		return false
	}
	w.warnFixed(next.config)
	w.settings, w.refused = next, ""
	w.metrics.Accepted(time.Now(), next.times())
	w.log.Info("a new configuration is in use", "file", w.flags.config)
	return true
}

// refuse tells once of each content, or each time that the operator asks.
func (w *worker) refuse(content []byte, err error, forced bool) {
	what := "content: " + string(content)
	if errors.Is(err, os.ErrNotExist) {
		what = "no file"
	}
	if what == w.refused && !forced {
		return
	}
	w.refused = what
	w.metrics.Refused()
	w.log.Error("the configuration is refused, and the one before stays in use", "file", w.flags.config, "error", err)
}

func (w *worker) warnFixed(c config.Config) {
	if c.Listen != w.listen || c.StateDir != w.stateDir {
		w.log.Warn("listen and stateDir are taken from a new configuration only at a restart", "listen", w.listen, "stateDir", w.stateDir)
	}
}
