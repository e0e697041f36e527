package rpc

import (
	"context"
	"fmt"

	"github.com/chubbycell/chubby/internal/transport/reach"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// Identity is what a replica says of itself.
type Identity struct {
	Cell    string
	Replica uint32
	Members []uint32 // ids of all replicas of its cell, itself included
}

// Identify asks the replica at an address, host:port, which one it is. A name of a host does not tell: a replica may move.
// The connection has the secrets of cfg, and is closed at the end; Replicas, Deliver and Failed are not used. It blocks
// until the replica answers, the connection fails or ctx ends. The error is that of the call, FailedPrecondition if the
// replica is of another cell than cfg has.
func Identify(ctx context.Context, cfg ClientConfig, addr string) (Identity, error) {
	c := &Client{cfg: cfg, hosts: reach.NewHosts(cfg.Resolver)}
	defer c.hosts.Close()
	w, err := c.newWay(addr)
	if err != nil {
		return Identity{}, fmt.Errorf("%s: %w", addr, err)
	}
	defer w.conn.Close()
	d, err := chubbyv1.NewOperatorClient(w.conn).Describe(c.outgoing(ctx, 0), &chubbyv1.DescribeRequest{})
	if err != nil {
		return Identity{}, w.explain(ctx, err)
	}
	who := Identity{Cell: d.GetCell(), Replica: d.GetReplica()}
	for _, m := range d.GetMembers() {
		who.Members = append(who.Members, m.GetId())
	}
	return who, nil
}
