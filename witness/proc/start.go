package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// SinceBoot is how long the node has been up, the time asleep included. No
// setting of the wall clock changes it.
func SinceBoot() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0, fmt.Errorf("reading CLOCK_BOOTTIME: %w", err)
	}
	return time.Duration(ts.Nano()), nil
}

// StartedAgo is how long ago a process started, exact to 10 ms, on a node that
// is up for sinceBoot (see [SinceBoot]).
func StartedAgo(procFS fs.FS, pid int, sinceBoot time.Duration) (time.Duration, error) {
	data, err := fs.ReadFile(procFS, strconv.Itoa(pid)+"/stat")
	if err != nil {
		return 0, fmt.Errorf("reading when process %d started: %w", pid, err)
	}
	at, err := started(data)
	if err != nil {
		return 0, fmt.Errorf("reading when process %d started: %w", pid, err)
	}
	if at > sinceBoot {
		return 0, fmt.Errorf("process %d started %s after the boot, but the node is up for %s only: this is another node's /proc", pid, at, sinceBoot)
	}
	return sinceBoot - at, nil
}

// tick is the unit of times in /proc/PID/stat: USER_HZ is 100 on every
// architecture that Go runs on.
const tick = time.Second / 100

// startField is the place of starttime, the 22nd field of /proc/PID/stat,
// after the second, the command in parentheses.
const startField = 22 - 2 - 1

// started gives when a process started, on CLOCK_BOOTTIME. The command may
// have spaces and parentheses in it, but no field after it has.
func started(stat []byte) (time.Duration, error) {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, errors.New("no command in parentheses")
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) <= startField {
		return 0, fmt.Errorf("only %d fields", len(fields)+2)
	}
	ticks, err := strconv.ParseUint(string(fields[startField]), 10, 64)
	if err != nil || ticks > math.MaxInt64/uint64(tick) {
		return 0, fmt.Errorf("start time %q is no number of ticks", fields[startField])
	}
	return time.Duration(ticks) * tick, nil
}
