package agent

import (
	"errors"
	"fmt"
	"net"
)

// The messages that systemd understands: see sd_notify(3).
const (
	NotifyReady    = "READY=1"
	NotifyAlive    = "WATCHDOG=1"
	NotifyStopping = "STOPPING=1"
)

// Notify sends a message to systemd's socket, which a unit of Type=notify
// finds in $NOTIFY_SOCKET. An address with "@" is an abstract one. Without an
// address nobody listens.
func Notify(socket, message string) error {
	if socket == "" {
		return nil
	}
	c, err := net.Dial("unixgram", socket)
	if err != nil {
		return fmt.Errorf("telling systemd %s: %w", message, err)
	}
	_, err = c.Write([]byte(message))
	if err := errors.Join(err, c.Close()); err != nil {
		return fmt.Errorf("telling systemd %s: %w", message, err)
	}
	return nil
}
