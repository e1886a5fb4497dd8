package cri

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hostgc/hostgc"
)

// Runtimes are the container runtimes of a node.
type Runtimes struct {
	// Timeout limits each call to a runtime. A containerd that is busy
	// creating a hundred pods takes seconds to list them.
	Timeout time.Duration

	root  string   // of the host, as seen from here
	named []string // host paths of the sockets; none: every known one that exists

	mu   sync.Mutex
	last heard
	node map[string]bool // by sandbox: whether it shares the node's network
}

// heard is what is kept of a hearing.
type heard struct {
	peers      []Peer
	containers map[string]string // container to sandbox
	sockets    map[string]string // sandbox to the socket of its runtime
}

// New gives the runtimes of the host below root. named are the host paths of
// their sockets, as ParseEndpoint gives them; where there are none, every
// known socket that exists is heard. Nothing is connected yet.
func New(root string, named []string) *Runtimes {
	return &Runtimes{Timeout: 30 * time.Second, root: root, named: named, node: map[string]bool{}}
}

// Witness gives the runtimes as the one witness "cri".
func (r *Runtimes) Witness() hostgc.Witness {
	spaces := []hostgc.Space{hostgc.SpaceSandbox}
	return hostgc.Witness{Name: "cri", Speaks: spaces, Knows: spaces, Ask: r.ask}
}

// Peers gives the runtimes of the last hearing, if all of them answered.
func (r *Runtimes) Peers() []Peer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last.peers
}

// Containers gives the containers of the last hearing with the sandbox of
// each, by ID, if all runtimes answered.
func (r *Runtimes) Containers() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.last.containers)
}

func (r *Runtimes) ask(ctx context.Context) (hostgc.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = heard{}
	sockets := r.named
	if len(sockets) == 0 {
		sockets = Sockets(os.DirFS(r.root))
	}
	if len(sockets) == 0 {
		return hostgc.Answer{}, fmt.Errorf("no CRI socket found below %s (looked at %s); name it with --cri", r.root, strings.Join(known, ", "))
	}
	lists, err := r.listAll(ctx, sockets)
	answer, claimErr := testify(lists)
	if err = join(err, claimErr); err != nil {
		return answer, err
	}
	r.remember(sockets, lists)
	return answer, nil
}

// listAll asks all at once, so that one that hangs costs its time limit only
// once. The lists of those that failed are empty.
func (r *Runtimes) listAll(ctx context.Context, sockets []string) ([]list, error) {
	lists, errs := make([]list, len(sockets)), make([]error, len(sockets))
	var wg sync.WaitGroup
	for i, socket := range sockets {
		wg.Go(func() { lists[i], errs[i] = r.listOne(ctx, socket) })
	}
	wg.Wait()
	return lists, join(errs...)
}

func (r *Runtimes) listOne(ctx context.Context, socket string) (list, error) {
	s, err := open(r.root, socket, r.Timeout)
	if err != nil {
		return list{}, fmt.Errorf("unix://%s: %w", socket, err)
	}
	defer s.close()
	l, err := s.list(ctx)
	if err != nil {
		return list{}, fmt.Errorf("unix://%s: %w", socket, err)
	}
	l.peer.Endpoint = "unix://" + socket
	return l, nil
}

// testify makes one answer of all lists.
func testify(lists []list) (hostgc.Answer, error) {
	var answer hostgc.Answer
	var says []string
	var errs []error
	for _, l := range lists {
		if l.peer == (Peer{}) {
			continue
		}
		by := l.peer.Name + " " + l.peer.Version
		claims, err := Claims("cri", by, l.sandboxes, l.containers)
		errs = append(errs, err)
		answer.Claims = append(answer.Claims, claims...)
		says = append(says, fmt.Sprintf("%d sandboxes, %d containers at %s (%s)", len(l.sandboxes), len(l.containers), by, l.peer.Endpoint))
	}
	answer.Says = strings.Join(says, "; ")
	return answer, join(errs...)
}

func (r *Runtimes) remember(sockets []string, lists []list) {
	r.last = heard{containers: map[string]string{}, sockets: map[string]string{}}
	for i, l := range lists {
		r.last.peers = append(r.last.peers, l.peer)
		for _, s := range l.sandboxes {
			r.last.sockets[s.GetId()] = sockets[i]
		}
		for _, c := range l.containers {
			r.last.containers[c.GetId()] = c.GetPodSandboxId()
		}
	}
	maps.DeleteFunc(r.node, func(id string, _ bool) bool {
		_, listed := r.last.sockets[id]
		return !listed
	})
}

// join is errors.Join on one line, as a testimony and a log need it.
func join(errs ...error) error {
	var all error
	for _, err := range errs {
		switch {
		case err == nil:
		case all == nil:
			all = err
		default:
			all = fmt.Errorf("%w; %w", all, err)
		}
	}
	return all
}
