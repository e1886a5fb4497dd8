package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/hostgc/hostgc/e2e/bed"
)

// schedule is what happens when, by a seed: the same seed gives the same.
type schedule struct {
	seed   uint64
	length time.Duration
	chaos  *rand.Rand
}

// newSchedule takes the seed and the length from the environment.
func newSchedule(t *testing.T) schedule {
	t.Helper()
	s := schedule{seed: rand.Uint64(), length: 75 * time.Second}
	var err error
	if v := os.Getenv("HOSTGC_SOAK_SEED"); v != "" {
		if s.seed, err = strconv.ParseUint(v, 10, 64); err != nil {
			t.Fatalf("HOSTGC_SOAK_SEED: %v", err)
		}
	}
	if v := os.Getenv("HOSTGC_SOAK_DURATION"); v != "" {
		if s.length, err = time.ParseDuration(v); err != nil {
			t.Fatalf("HOSTGC_SOAK_DURATION: %v", err)
		}
	}
	s.chaos = s.stream(0)
	t.Logf("churn for %s; HOSTGC_SOAK_SEED=%d HOSTGC_SOAK_DURATION=%s gives the same schedule", s.length, s.seed, s.length)
	return s
}

// stream gives the random numbers of one actor: actors that shared one would
// take them in the order of the scheduler's whim.
func (s schedule) stream(actor uint64) *rand.Rand { return rand.New(rand.NewPCG(s.seed, actor)) }

// blow is one act of chaos.
type blow struct {
	after, down time.Duration
	victim      string
}

// next draws a blow. containerd dies about twice a minute: hostgc waits for the
// minimum age after each of its starts, and must come to remove something.
func (s schedule) next() blow {
	b := blow{
		after:  time.Duration(s.chaos.Int64N(int64(7 * time.Second))),
		down:   time.Duration(s.chaos.Int64N(int64(3 * time.Second))),
		victim: "hostgc",
	}
	switch n := s.chaos.IntN(100); {
	case n < 8:
		b.victim = "containerd"
	case n < 22:
		b.victim = "kubelet"
	case n < 26:
		b.victim = "containerd and kubelet"
	}
	return b
}

// strike kills and starts again. A killed hostgc is started by its own loop.
func (b blow) strike(c *bed.Cluster, s *bed.Sweeper) {
	time.Sleep(b.after)
	runtime := b.victim == "containerd" || b.victim == "containerd and kubelet"
	kubelet := b.victim == "kubelet" || b.victim == "containerd and kubelet"
	if b.victim == "hostgc" {
		s.Kill()
		return
	}
	if runtime {
		c.KillContainerd()
	}
	if kubelet {
		c.KillKubelet()
	}
	time.Sleep(b.down)
	if runtime {
		c.StartContainerd()
	}
	if kubelet {
		c.StartKubelet()
	}
}

func (b blow) String() string {
	return fmt.Sprintf("%s for %s", b.victim, b.down.Round(time.Millisecond))
}
