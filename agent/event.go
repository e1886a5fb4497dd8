package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/docker/go-units"
)

// Events tells the API server about cycles that removed something, as Events
// on the Node. It needs the permission to create events in the namespace
// default, where those on a Node must be.
type Events struct {
	Client *http.Client // with the credentials
	Server string       // its base URL
	Node   string
}

// event is a core/v1 Event, as far as one on a Node has fields to fill.
type event struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   map[string]string `json:"metadata"`
	Involved   map[string]string `json:"involvedObject"`
	Type       string            `json:"type"`
	Reason     string            `json:"reason"`
	Message    string            `json:"message"`
	Source     map[string]string `json:"source"`
	Reporter   string            `json:"reportingComponent"`
	Instance   string            `json:"reportingInstance"`
	First      time.Time         `json:"firstTimestamp"`
	Last       time.Time         `json:"lastTimestamp"`
	Count      int               `json:"count"`
}

// eventTimeout limits the sending of one Event: it must not hold up the agent.
const eventTimeout = 10 * time.Second

// Send tells of a cycle.
func (e Events) Send(ctx context.Context, now time.Time, c *Count) error {
	ctx, cancel := context.WithTimeout(ctx, eventTimeout)
	defer cancel()
	body, err := json.Marshal(e.event(now, c.Message()))
	if err != nil {
		return fmt.Errorf("writing the Event: %w", err)
	}
	url := strings.TrimSuffix(e.Server, "/") + "/api/v1/namespaces/default/events"
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("sending the Event: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := e.Client.Do(r)
	if err != nil {
		return fmt.Errorf("sending the Event: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // only read
	if answer.StatusCode != http.StatusCreated {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
		return fmt.Errorf("sending the Event: %s says %s; hostgc's account must be allowed to create events in the namespace default: %s", e.Server, answer.Status, said)
	}
	return nil
}

// event names the Node by its name in place of its UID, as the kubelet does:
// kubectl describe node looks for both, and hostgc may not read Nodes.
func (e Events) event(now time.Time, message string) event {
	now = now.UTC().Truncate(time.Second)
	return event{
		APIVersion: "v1", Kind: "Event", Type: "Normal", Reason: "HostStateRemoved", Message: message,
		Metadata: map[string]string{"generateName": "hostgc-", "namespace": "default"},
		Involved: map[string]string{"apiVersion": "v1", "kind": "Node", "name": e.Node, "uid": e.Node},
		Source:   map[string]string{"component": "hostgc", "host": e.Node},
		Reporter: "hostgc", Instance: e.Node, First: now, Last: now, Count: 1,
	}
}

// Total is how many objects the cycle removed.
func (c *Count) Total() int {
	sum := 0
	for _, n := range c.Removed {
		sum += n
	}
	return sum
}

// Message tells in a sentence what the cycle removed and why that had leaked.
func (c *Count) Message() string {
	return fmt.Sprintf("Removed %d stale objects (%s): %s. They leaked because of: %s.", c.Total(),
		units.BytesSize(float64(c.Bytes)), enumerate(c.Removed), enumerate(c.Causes))
}

// enumerate gives the counts, the largest first.
func enumerate(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, n := range names {
		parts = append(parts, fmt.Sprintf("%d %s", counts[n], n))
	}
	return strings.Join(parts, ", ")
}
