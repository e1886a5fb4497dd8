package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/hostgc/hostgc/witness/kubeapi"
)

// fleet asks a real API server as the agents of many nodes do, named by format
// and number: first one after the other, then all at once, as when every agent
// starts in the same moment. client-go shares a connection among all, so that
// the handshakes of TLS are not in it.
func fleet(w io.Writer, kubeconfig, format string, nodes int) error {
	var took []time.Duration
	claims := 0
	var mu sync.Mutex
	one := func(i int) error {
		witness, err := kubeapi.New(kubeconfig, fmt.Sprintf(format, i))
		if err != nil {
			return err
		}
		begin := time.Now()
		answer, err := witness.Ask(context.Background())
		mu.Lock()
		defer mu.Unlock()
		took, claims = append(took, time.Since(begin)), claims+len(answer.Claims)
		return err
	}
	begin := time.Now()
	for i := range nodes {
		if err := one(i); err != nil {
			return err
		}
	}
	tell(w, "one after the other", took, claims, time.Since(begin))
	took, claims, begin = nil, 0, time.Now()
	errs := make(chan error, nodes)
	for i := range nodes {
		go func() { errs <- one(i) }()
	}
	failed := 0
	for range nodes {
		if err := <-errs; err != nil {
			failed++
			fmt.Fprintln(w, err)
		}
	}
	tell(w, fmt.Sprintf("all at once (%d failed)", failed), took, claims, time.Since(begin))
	return nil
}

func tell(w io.Writer, how string, took []time.Duration, claims int, all time.Duration) {
	slices.Sort(took)
	fmt.Fprintf(w, "%d hearings %s: %s, median %s, p99 %s, most %s; %d claims\n", len(took), how, all.Round(time.Millisecond),
		took[len(took)/2].Round(time.Microsecond), took[len(took)*99/100].Round(time.Microsecond), took[len(took)-1].Round(time.Microsecond), claims)
}
