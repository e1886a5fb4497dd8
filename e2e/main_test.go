// Package e2e proves hostgc on real nodes; see README.md for what each test is
// there to show.
package e2e

import (
	"os"
	"testing"

	"github.com/hostgc/hostgc/e2e/bed"
)

func TestMain(m *testing.M) {
	bed.Reexec()
	os.Exit(m.Run())
}
