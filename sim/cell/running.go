package cell

import (
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
)

// runningClient is a client in one life of its machine, for checkers (model.Believer).
type runningClient struct {
	rt     *sim.Runtime
	client *client.Client
}

func (c runningClient) Status() client.Status { return c.client.Status() }
func (c runningClient) Now() time.Time        { return c.rt.Now() }
func (c runningClient) Dead() bool            { return c.rt.Env().Dead() }
func (c runningClient) Self() sim.Addr        { return c.rt.Env().Self() }
