package sweep_test

import (
	"testing"

	"github.com/hostgc/hostgc"
)

// What the operator wants kept stays, and says why; the operator is asked about
// every object.
func TestKeep(t *testing.T) {
	f := running(t, "gone.1", "gone.2")
	asked := map[string]bool{}
	opts := options()
	opts.Keep = func(o hostgc.Object) string {
		asked[o.Name] = true
		if o.Name == "gone.1" {
			return "the operator's"
		}
		return ""
	}
	r := twice(t, f, opts, nothing)
	wantLeft(t, f, "gone.1", "up.1")
	if done := r["/a/gone.1"]; done.Kept != "the operator's" || done.Removed {
		t.Errorf("%+v", done)
	}
	if !asked["up.1"] {
		t.Error("not asked about what is alive")
	}
	opts.Keep = nil
	twice(t, f, opts, nothing)
	wantLeft(t, f, "up.1")
}
