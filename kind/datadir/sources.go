package datadir

import (
	"context"
	"fmt"
	"time"

	"github.com/hostgc/hostgc"
)

// source is one place where references are looked for. What it finds it tells
// the search; says is its answer in a phrase. With an error it is mute, and
// while one of them is, nothing is garbage.
type source struct {
	name string
	look func(ctx context.Context, s *search) (says string, err error)
}

// sources are all places where a reference can live. The processes come first:
// they lead to state directories that no configuration names. Units tell of other
// data directories, whose links are followed then. The runtimes' bundles come
// last, after all that tells where they are.
func sources(o *Options) []source {
	return []source{
		{"processes", processes},
		{"mounts", mounts},
		{"containerd-config", containerdConfig},
		{"cni-config", cniConfig},
		{"units", startup},
		{"links", links},
		{"metadata", func(ctx context.Context, s *search) (string, error) { return metadata(ctx, s, o.Runtimes) }},
		{"bundles", bundles},
		{"sandbox-controller", sandboxController},
		{"v1-runtime", oldRuntime},
		{"runc-state", runcState},
	}
}

// hear asks every source. Only the end of ctx is an error.
func (s *search) hear(ctx context.Context, o *Options) ([]hostgc.Testimony, error) {
	var heard []hostgc.Testimony
	for _, src := range sources(o) {
		t := hostgc.Testimony{
			Witness: src.name, At: o.Now(),
			Speaks: []hostgc.Space{SpaceTree}, Knows: []hostgc.Space{SpaceTree},
		}
		says, err := src.look(ctx, s)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t.Says = says
		if err != nil {
			t.Err = err.Error()
		}
		heard = append(heard, t)
	}
	if err := s.keepForOrphans(); err != nil {
		heard = append(heard, hostgc.Testimony{Witness: "bundles", At: o.Now(), Speaks: []hostgc.Space{SpaceTree}, Err: err.Error()})
	}
	return s.claims(heard), nil
}

// claims gives each testimony the claims that its source found.
func (s *search) claims(heard []hostgc.Testimony) []hostgc.Testimony {
	dir := DataOf(s.dataDir)
	for _, u := range s.uses {
		for i := range heard {
			if heard[i].Witness == u.Source {
				heard[i].Claims = append(heard[i].Claims, hostgc.Claim{
					Ref: refTo(dir, u.Name), Witness: u.Source, Detail: s.words(u), PodUID: s.podOf(u).UID,
				})
				break
			}
		}
	}
	return heard
}

// count is a number of things in words.
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

func stampWords(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
