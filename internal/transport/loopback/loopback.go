// Package loopback is test support: addresses of this machine that stay free while nothing
// listens there, so that a test can stop a server and start it again.
//
// The ports that the system gives to listeners of port 0 are those that it gives to outgoing
// connections, too: one may be taken while a test's server is away.
package loopback

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
)

// The ports are below those that systems give out by themselves, from 32768 on or 49152, and those that
// chubby torture takes, which may run beside a test.
const (
	first = 10_000
	last  = 22_000
)

// turn counts the ports that were tried.
var turn atomic.Int64

// Listen listens at a port that the system does not give out by itself.
func Listen() (net.Listener, error) {
	var err error
	for range last - first {
		n := int64(os.Getpid())*101 + turn.Add(1)
		l, failed := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+n%(last-first)))
		if failed == nil {
			return l, nil
		}
		err = failed
	}
	return nil, err
}

// Addr is an address at which nothing listens now.
func Addr() (string, error) {
	l, err := Listen()
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
