package bed

import (
	"fmt"
	"time"
)

// eventually tries until f succeeds. Others decide how long they take, so the
// limit is generous: it is there to end a test that hangs.
func eventually(limit time.Duration, f func() error) error {
	for deadline := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
		err := f()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not after %s: %w", limit, err)
		}
	}
}
