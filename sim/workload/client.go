package workload

import (
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
)

// Client is a client in one life of its machine (model.Believer).
type Client struct {
	Runtime *sim.Runtime
	Client  *client.Client
}

// Status returns the status that the client reports.
func (c Client) Status() client.Status { return c.Client.Status() }

// Now reads the clock of the machine.
func (c Client) Now() time.Time { return c.Runtime.Now() }

// Dead reports whether this life of the machine is over.
func (c Client) Dead() bool { return c.Runtime.Env().Dead() }

// Self returns the address of the machine.
func (c Client) Self() sim.Addr { return c.Runtime.Env().Self() }
