package sim

import "github.com/chubbycell/chubby/client"

// Replica is client.Replica: the address of a replica as a program gives it, by cell and id. Without
// a cell, the id is the Addr of a machine.
type Replica = client.Replica

// ForClient returns the Runtime of one Client whose replicas run on these machines. Ids may repeat
// between cells, and need not be addresses of machines. Messages from these machines go to that
// Client alone, and hints that they are unreachable too. What other machines send goes to the
// handlers of rt, so a program also talks to servers of its own.
//
// If a later ForClient names a machine again, the later Client hears from it instead. The Client of a
// Runtime on which ForClient was not called has its replicas on the machines with their ids.
func (rt *Runtime) ForClient(replicas map[Replica]Addr) client.Runtime {
	c := &clientRuntime{Runtime: rt, machines: map[Replica]Addr{}, replicas: map[Addr]Replica{}}
	if rt.clients == nil {
		rt.clients = map[Addr]*clientRuntime{}
	}
	for r, a := range replicas { // order-free: it fills maps
		c.machines[r], c.replicas[a], rt.clients[a] = a, r, c
	}
	return c
}

// clientRuntime is a Runtime on which machines have the addresses that one Client gives them.
type clientRuntime struct {
	*Runtime
	machines    map[Replica]Addr
	replicas    map[Addr]Replica // the reverse
	receive     func(from Replica, msg []byte)
	unreachable func(replica Replica)
}

// Send puts a message on the link to the machine of a replica. It copies the bytes. A message to a
// replica that ForClient was not told of is lost.
func (c *clientRuntime) Send(to Replica, msg []byte) {
	if a, ok := c.machines[to]; ok {
		c.e.Send(a, msg)
	}
}

// Receive registers the handler of messages from the Client's replicas.
func (c *clientRuntime) Receive(f func(from Replica, msg []byte)) { c.receive = f }

// OnUnreachable registers the handler of hints that one of the Client's replicas is unreachable.
func (c *clientRuntime) OnUnreachable(f func(replica Replica)) { c.unreachable = f }

func (c *clientRuntime) onReceive(from Addr, msg []byte) {
	if c.receive != nil {
		c.receive(c.replicas[from], msg)
	}
}

func (c *clientRuntime) onUnreachable(to Addr) {
	if c.unreachable != nil {
		c.unreachable(c.replicas[to])
	}
}
