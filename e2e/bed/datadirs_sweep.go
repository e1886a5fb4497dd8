package bed

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Retain configures how many older versions hostgc retains; -1: its default.
func (r *RKE2) Retain(n int) {
	r.t.Helper()
	config := "kinds: {rke2-data: {mode: enforce}}\n"
	if n >= 0 {
		config = fmt.Sprintf("kinds: {rke2-data: {mode: enforce, retain: %d}}\n", n)
	}
	r.sweepArgs = []string{"--config", r.Share("hostgc.yaml", []byte(config), 0o644)}
}

// Sweep is [Node.Sweep], when the releases are old enough, too.
func (r *RKE2) Sweep() Report {
	r.t.Helper()
	time.Sleep(time.Until(r.unpacked.Add(minAge + 100*time.Millisecond)))
	return r.Node.Sweep()
}

// KeptBy gives the lines in which `hostgc explain` says what keeps a release.
func (r *RKE2) KeptBy(release string) []string {
	r.t.Helper()
	binary, err := os.ReadFile(os.Getenv("HOSTGC_BIN"))
	r.must(err, "find hostgc")
	r.must(writeOnce(r.layout.share("hostgc"), binary), "give the node hostgc")
	args := append([]string{shareDir + "/hostgc", "-o", "json", "explain", "--cri", "unix://" + ContainerdSocket,
		"--min-age", minAge.String(), "--unsafe-short-age", r.InRelease(release, "")}, r.sweepArgs...)
	out, err := r.Exec(args...)
	r.must(err, "have hostgc explain "+release)
	var story struct{ KeptBy []string }
	r.must(json.Unmarshal([]byte(out), &story), "read what hostgc explains")
	return story.KeptBy
}
