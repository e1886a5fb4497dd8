package sandboxid_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/hostgc/hostgc/kind/sandboxid"
)

// Of one ID alone the processor would learn which digits are letters.
func BenchmarkValid(b *testing.B) {
	ids := make([]string, 4096)
	for i := range ids {
		sum := sha256.Sum256(fmt.Append(nil, i))
		ids[i] = hex.EncodeToString(sum[:])
	}
	for i := 0; b.Loop(); i++ {
		if !sandboxid.Valid(ids[i%len(ids)]) {
			b.Fatal("not valid")
		}
	}
}
