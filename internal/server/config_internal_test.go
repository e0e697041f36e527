package server

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// Replica 1 listens for the others at an address that its entry in members has led to.
func TestMembersThatCannotReachAReplicaAreToldOf(t *testing.T) {
	tcp := func(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 7401} }
	for name, c := range map[string]struct {
		at      net.Addr
		members map[uint32]string
		want    string
	}{
		"the name of the machine is a loopback address here": {tcp("127.0.1.1"), map[uint32]string{1: "a:7401", 2: "b:7401", 3: "c:7401"}, "b"},
		"it is an address of the network":                    {tcp("10.0.0.1"), map[uint32]string{1: "a:7401", 2: "b:7401", 3: "c:7401"}, ""},
		"all addresses":                                      {tcp("::"), map[uint32]string{1: "a:7401", 2: "10.0.0.2:7401"}, ""},
		"all are on this machine, by its name":               {tcp("127.0.1.1"), map[uint32]string{1: "a:7401", 2: "a:7402", 3: "a:7403"}, ""},
		"all are on this machine, by numbers":                {tcp("127.0.0.1"), map[uint32]string{1: "127.0.0.1:7401", 2: "127.0.0.1:7402", 3: "[::1]:7403"}, ""},
		"all are on this machine, by the name of each":       {tcp("127.0.0.1"), map[uint32]string{1: "127.0.0.1:7401", 2: "localhost:7402"}, ""},
		"one is on another":                                  {tcp("127.0.0.1"), map[uint32]string{1: "127.0.0.1:7401", 2: "127.0.0.1:7402", 3: "10.0.0.3:7401"}, "10.0.0.3"},
		"the only member":                                    {tcp("127.0.1.1"), map[uint32]string{1: "a:7401"}, ""},
		"no address of TCP":                                  {&net.UnixAddr{Name: "x"}, map[uint32]string{1: "a:7401", 2: "b:7401"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Config{ID: 1, Members: c.members}
			require.Equal(t, c.want, cfg.unreachableBy(c.at))
		})
	}
}
