package config

import (
	"errors"
	"fmt"
)

// Pressure gives how little may be free, in percent, before the agent starts a
// cycle at once. 0: never.
type Pressure struct {
	// FreeInodes of a file system that holds a kind's directory. Default: 10.
	FreeInodes int `json:"freeInodes"`
	// FreeBytes of such a file system. Default: 5.
	FreeBytes int `json:"freeBytes"`
	// FreeIPs of the ranges of a host-local network. Default: 10.
	FreeIPs int `json:"freeIPs"`
}

func (p Pressure) check() error {
	var errs []error
	for _, f := range []struct {
		name    string
		percent int
	}{{"freeInodes", p.FreeInodes}, {"freeBytes", p.FreeBytes}, {"freeIPs", p.FreeIPs}} {
		if f.percent < 0 || f.percent > 90 {
			errs = append(errs, fmt.Errorf("pressure.%s: %d is not a percentage from 0 (never) to 90", f.name, f.percent))
		}
	}
	return errors.Join(errs...)
}
