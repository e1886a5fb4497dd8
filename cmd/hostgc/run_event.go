package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hostgc/hostgc/agent"
)

// tellEvent tells the API server of a cycle that removed something. That it
// cannot be told is no failure of the cycle.
func (w *worker) tellEvent(ctx context.Context, count *agent.Count) {
	if !w.settings.config.Events || count.Total() == 0 {
		return
	}
	c := w.settings.config
	events, err := eventsOf(c.Kubeconfig, (&host{config: c}).name())
	if errors.Is(err, rest.ErrNotInCluster) {
		return
	}
	if err == nil {
		err = events.Send(ctx, time.Now(), count)
	}
	if err != nil {
		w.log.Warn("no Event was sent; events: false in the configuration turns them off", "error", err)
	}
}

// eventsOf takes the HTTP client that client-go makes of its configuration. A
// generic or typed client would do no more for the one call that is made, and
// make the binary larger (the dynamic one by 140 KB).
func eventsOf(kubeconfig, node string) (agent.Events, error) {
	c, err := restConfig(kubeconfig)
	if err != nil {
		return agent.Events{}, err
	}
	c.UserAgent = "hostgc"
	client, err := rest.HTTPClientFor(c)
	if err != nil {
		return agent.Events{}, fmt.Errorf("client for Events: %w", err)
	}
	server, _, err := rest.DefaultServerUrlFor(c)
	if err != nil {
		return agent.Events{}, fmt.Errorf("client for Events: %w", err)
	}
	return agent.Events{Client: client, Server: server.String(), Node: node}, nil
}

func restConfig(kubeconfig string) (*rest.Config, error) {
	if kubeconfig == "" {
		return rest.InClusterConfig()
	}
	return clientcmd.BuildConfigFromFlags("", kubeconfig)
}
