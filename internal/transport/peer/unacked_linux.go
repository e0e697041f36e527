package peer

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// limitUnacked is net.Dialer.Control. It has the system give up a connection on which bytes wait for their
// acknowledgement for as long as the other side waits for a sign of life. By default the system sends them again, ever
// more rarely, for a quarter of an hour: after a cut of some minutes a link would be silent for up to two more.
func (t timing) limitUnacked(_, _ string, c syscall.RawConn) error {
	var err error
	if bad := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(t.silence.Milliseconds()))
	}); bad != nil {
		return bad
	}
	return err
}
