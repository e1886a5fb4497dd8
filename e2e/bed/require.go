package bed

import (
	"os"
	"testing"

	"github.com/hostgc/hostgc/e2e/build"
)

// Require skips the test, with a line that no one overlooks, where the bed
// cannot be: not root, or a program that could not be built.
func Require(t testing.TB, programs ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("!!!!!! NOT PROVEN: the end-to-end tests need root and namespaces !!!!!!")
	}
	if os.Getenv("HOSTGC_BIN") == "" {
		t.Fatal("HOSTGC_BIN must give the path of the hostgc under test: run `make -C e2e`")
	}
	for _, p := range programs {
		if _, err := build.Locate().Path(p); err != nil {
			t.Skipf("!!!!!! NOT PROVEN: %v !!!!!!", err)
		}
	}
}
