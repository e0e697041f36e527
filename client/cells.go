package client

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Option is something more about a Client than its Config.
type Option func(*plan)

// plan is what the options say.
type plan struct {
	name  string
	cells map[string][]uint32
}

// WithName names the own cell: /ls/NAME means it, as /ls/local does always.
func WithName(cell string) Option { return func(p *plan) { p.name = cell } }

// WithCells names other cells and says which replicas they have: /ls/NAME means
// them. All of Config but Replicas is for them, too. Replicas of different cells
// have different ids: to the Client's Runtime they are addresses.
func WithCells(cells map[string][]uint32) Option { return func(p *plan) { p.cells = cells } }

// build makes a conn for each cell. No session is opened.
func (c *Client) build(cfg Config, p plan) error {
	var faults []error
	add := func(name api.Cell, replicas []uint32) *conn {
		own := cfg
		own.Replicas = replicas
		m, err := session.New(own)
		if err != nil {
			faults = append(faults, err)
			return nil
		}
		o := &conn{rt: c.rt, cell: name, cfg: own, events: c.events, m: m, calls: map[session.Token]*call{}}
		c.conns = append(c.conns, o)
		c.byName[name] = o
		for _, r := range replicas {
			if c.owner[r] != nil {
				faults = append(faults, fmt.Errorf("replica id %d belongs to two cells", r))
			}
			c.owner[r] = o
		}
		return o
	}
	named := func(cell string) api.Cell {
		if name := api.Cell(cell); name.Check() == api.OK && name != api.LocalCell && c.byName[name] == nil {
			return name
		}
		faults = append(faults, fmt.Errorf("a cell is called %q", cell))
		return ""
	}
	c.local = add(api.LocalCell, cfg.Replicas)
	if p.name != "" && c.local != nil {
		c.local.cell = named(p.name)
		c.byName[c.local.cell] = c.local
	}
	for _, name := range slices.Sorted(maps.Keys(p.cells)) {
		add(named(name), p.cells[name])
	}
	return errors.Join(faults...)
}

// find returns the session that a full name belongs to.
func (c *Client) find(name string) (*conn, api.Path, error) {
	n, err := api.ParseName(name)
	if err != nil {
		return nil, api.Path{}, err
	}
	o := c.byName[n.Cell]
	if o == nil {
		return nil, api.Path{}, fmt.Errorf("there is no cell called %s", n.Cell)
	}
	return o, n.Path, nil
}
