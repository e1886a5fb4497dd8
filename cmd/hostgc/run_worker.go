package main

import (
	"context"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/metrics"
)

// worker is what the agent's cycles share.
type worker struct {
	*app
	run              runFlags
	listen, stateDir string // as at the start
	settings         *settings
	refused          string // the configuration that was refused last, if it is still there
	metrics          *metrics.Metrics
	health           *agent.Health
	pressure         agent.Pressure
	before           *hostgc.Condemned // garbage that the latest cycle left; nil: it failed
	progressed       bool              // it removed something
	watched          []string          // the directories of the kinds
	confDirs         []string          // of CNI configurations
}

func newWorker(a *app, f runFlags, s *settings) *worker {
	w := &worker{app: a, run: f, settings: s, listen: s.config.Listen, stateDir: s.config.StateDir,
		health: &agent.Health{Now: time.Now}}
	w.health.Beat()
	return w
}

// beat tells whoever watches over the agent that it is at work.
func (w *worker) beat() {
	w.health.Beat()
	w.notify(agent.NotifyAlive)
}

// check looks between cycles whether there is a reason to start one early.
func (w *worker) check(_ context.Context, hangup bool) string {
	w.beat()
	if w.reload(hangup) {
		return "the configuration changed"
	}
	p := w.settings.config.Pressure
	levels := w.levels()
	w.metrics.Levels(levels)
	return w.pressure.Update(levels, map[agent.Resource]int{
		agent.Inodes: p.FreeInodes, agent.Bytes: p.FreeBytes, agent.IPs: p.FreeIPs}, w.progressed)
}
