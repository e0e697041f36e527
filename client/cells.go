package client

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Option configures a Client beyond its Config. A nil Option changes nothing.
type Option func(*settings)

// settings collects the options.
type settings struct {
	name   string
	cells  map[string][]uint32
	others []otherCell
	dial   dialOptions
}

func settingsOf(options []Option) (s settings) {
	for _, o := range options {
		if o != nil {
			o(&s)
		}
	}
	return s
}

// WithName sets the name of the local cell, so that /ls/NAME means it as well as /ls/local. Dial
// refuses replicas of a cell with another name.
func WithName(cell string) Option { return func(p *settings) { p.name = cell } }

// WithCells names other cells and the ids of their replicas, so that /ls/NAME means them. Config
// applies to them too, except Replicas. Ids may repeat between cells: the Client's Runtime addresses
// each replica by the pair of its cell and its id. WithCells is for New; Dial has WithCell.
func WithCells(cells map[string][]uint32) Option { return func(p *settings) { p.cells = cells } }

// build makes a conn for each cell. It opens no session.
func (c *Client) build(cfg Config, s settings) error {
	var faults []error
	add := func(name api.Cell, at string, replicas []uint32) *conn {
		own := cfg
		own.Replicas = replicas
		m, err := session.New(own)
		if err != nil {
			faults = append(faults, err)
			return nil
		}
		o := &conn{rt: c.rt, cell: name, at: at, cfg: own, events: c.events, m: m, calls: map[session.Token]*call{}}
		o.store.reset(cfg.Cache)
		c.conns = append(c.conns, o)
		c.events.live++
		c.byName[name] = o
		for _, r := range replicas {
			c.byReplica[Replica{at, r}] = o
		}
		return o
	}
	named := func(cell string) api.Cell {
		if name := api.Cell(cell); name.Check() == api.OK && name != api.LocalCell && c.byName[name] == nil {
			return name
		}
		faults = append(faults, fmt.Errorf("cell name %q is invalid, reserved or used twice", cell))
		return ""
	}
	c.local = add(api.LocalCell, "", cfg.Replicas)
	if s.name != "" && c.local != nil {
		c.local.cell = named(s.name)
		c.byName[c.local.cell] = c.local
	}
	for _, name := range slices.Sorted(maps.Keys(s.cells)) {
		add(named(name), name, s.cells[name])
	}
	return errors.Join(faults...)
}

// find returns the conn and the path that a full name means.
func (c *Client) find(name string) (*conn, api.Path, error) {
	n, err := api.ParseName(name)
	if err != nil {
		return nil, api.Path{}, err
	}
	o := c.byName[n.Cell]
	if o == nil {
		return nil, api.Path{}, c.unknownCell(n.Cell)
	}
	return o, n.Path, nil
}

// unknownCell is the error for a full name whose cell the Client does not know.
func (c *Client) unknownCell(cell api.Cell) error {
	switch {
	case c.dialed == nil:
		return fmt.Errorf("unknown cell %s: name it with WithName or WithCells", cell)
	case c.local.cell == api.LocalCell:
		return fmt.Errorf("unknown cell %s: write /ls/local, or give Dial the name of its cell by WithName or a cell file, and each other cell by WithCell", cell)
	}
	return fmt.Errorf("unknown cell %s: the Client was dialed to cell %s; give Dial the other one by WithCell", cell, c.local.cell)
}
