package rpc_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/transport/rpc"
)

// dialAs is dial with another principal.
func dialAs(t *testing.T, addr, who string) *process {
	t.Helper()
	return dial(t, addr, func(c *rpc.ClientConfig) { c.Principal = who })
}

// admitted is a client of a principal whose stream has been admitted.
func admitted(t *testing.T, addr, who string) *process {
	t.Helper()
	p := dialAs(t, addr, who)
	p.Send(1, []byte("x"))
	p.hears(t, fmt.Sprintf("1: %s said x", who))
	return p
}

// A principal that opens streams until there are as many as may be keeps no other out, and no stream of a principal that
// has as few as others goes.
func TestThePrincipalWithTheMostStreamsMakesRoom(t *testing.T) {
	r := serve(t, func(c *rpc.ServerConfig) { c.MaxClients = 4 })
	var eve []*process
	for range 4 {
		eve = append(eve, admitted(t, r.addr, "eve"))
	}
	var others []*process
	for i, who := range []string{"ann", "bob"} {
		others = append(others, admitted(t, r.addr, who))
		eve[3-i].fails(t, codes.ResourceExhausted, `4 clients are connected to replica 1, which is its limit, and "eve" has the most: one of another principal took the place`)
		require.Equal(t, 4, r.Clients())
	}
	late := dialAs(t, r.addr, "ann")
	late.Send(1, []byte("x"))
	late.fails(t, codes.ResourceExhausted, "4 clients are connected to replica 1, which is its limit")
	for i, p := range append(eve[:2], others...) {
		p.Send(1, []byte("y"))
		p.hears(t, "1: "+[]string{"eve", "eve", "ann", "bob"}[i]+" said y")
	}
}

// A principal with many connections keeps no other out.
func TestThePrincipalWithTheMostConnectionsMakesRoom(t *testing.T) {
	r := serve(t, func(c *rpc.ServerConfig) { c.MaxConnections = 8 })
	var eve []*process
	for range 7 {
		eve = append(eve, admitted(t, r.addr, "eve"))
	}
	p := dialAs(t, r.addr, "eve")
	p.Send(1, []byte("x"))
	p.fails(t, codes.ResourceExhausted, `replica 1 has as many connections as it takes, and no principal has more than "eve"`)
	for range 3 {
		p := dialAs(t, r.addr, "ann")
		p.Send(1, []byte("x"))
		p.hears(t, "1: ann said x")
		p.Send(1, []byte("y"))
		p.hears(t, "1: ann said y")
	}
	for _, p := range eve[4:] {
		require.Equal(t, codes.Unavailable, status.Code(p.failure(t)))
	}
	for _, p := range eve[:4] {
		p.Send(1, []byte("y"))
		p.hears(t, "1: eve said y")
	}
}
