package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"
)

// serve starts to serve metrics and health. The function that it gives stops
// it; a request at hand is cut off, as nothing that the agent says is worth to
// be waited for.
func (w *worker) serve(address string) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serving metrics and health: %w; --listen gives another address, or an empty one for none", err)
	}
	server := &http.Server{Handler: w.handler(), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			w.log.Error("metrics and health are no longer served", "error", err)
		}
	}()
	w.log.Info("serving metrics and health", "address", l.Addr().String())
	return func() {
		_ = server.Close()
		<-done
	}, nil
}

func (w *worker) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", w.metrics.Handler())
	mux.HandleFunc("GET /healthz", w.health.Healthz)
	mux.HandleFunc("GET /readyz", w.health.Readyz)
	if w.run.pprof {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}
