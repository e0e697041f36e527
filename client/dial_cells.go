package client

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
)

// otherCell is a cell besides the local one that Dial connects to.
type otherCell struct {
	name, target string
	settings     settings
}

// WithCell makes Dial connect to another cell, too, so that /ls/NAME means it. The target is one of
// Dial, and may list the same ids as that of the local cell. Give WithCell once for each other cell.
//
//	c, err := client.Dial(ctx, "near.json", client.WithCell("far", "far.json"))
//
// The Client keeps a session of its own with each cell, and Config applies to all of them. Dial
// returns when the session with the local cell is open. It checks the target of the other cell, and
// reads its certificates and its token, but sends nothing to it: the first call to a name in the
// other cell opens the session there. If that cell is not reached, or refuses the client, the call
// waits until its context ends, and its error has the reason; so does Close after such a call.
// Replicas of a cell with another name are refused. The target of another cell is no name in DNS, since
// Dial would have to wait for that cell.
//
// The proof of identity is that of each cell, so that no cell learns a token of another one: the
// target names it, or else the options of WithCell, which are WithTLS, WithToken, WithPrincipal,
// WithPlain, WithOwnConnections and WithLogger. Those that are given to Dial are for the local cell.
func WithCell(name, target string, options ...Option) Option {
	return func(s *settings) { s.others = append(s.others, otherCell{name, target, settingsOf(options)}) }
}

// connectOthers makes the connections to the other cells, and returns the ids of their replicas. After
// an error some cells are connected.
func (d *dialed) connectOthers(ctx context.Context, others []otherCell) (map[string][]uint32, error) {
	d.others = map[string]*dialed{}
	ids := map[string][]uint32{}
	returned, cancel := context.WithCancel(ctx)
	cancel() // Dial does not wait for these cells
	var faults []error
	for _, o := range others {
		t, err := o.check(ctx)
		if d.others[o.name] != nil {
			err = errors.New("the name is used twice")
		}
		if err == nil && isFile(o.target) {
			o.settings.dial.file, err = filepath.Abs(o.target)
		}
		if err == nil {
			x := newDialed(returned, t, func(error) {})
			x.cell, x.rt = o.name, d.rt
			if err = x.connect(o.settings.dial, o.name); err == nil {
				d.others[o.name], ids[o.name] = x, t.ids()
			}
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("WithCell(%q): %w", o.name, err))
		}
	}
	return ids, errors.Join(faults...)
}

// check returns the target, or what is wrong with it or with the options.
func (o otherCell) check(ctx context.Context) (Target, error) {
	t, err := ParseTarget(o.target)
	if err != nil {
		return t, err
	}
	s := o.settings
	var faults []error
	if t.Discover != "" {
		faults = append(faults, fmt.Errorf("%s is a name in DNS: give the list of the replicas, or a cell file that has it", t.Discover))
	}
	if s.name != "" || len(s.cells)+len(s.others) > 0 || !reflect.ValueOf(s.dial.cfg).IsZero() {
		faults = append(faults, errors.New("WithName, WithCell, WithCells and WithConfig are options of Dial, not of a cell"))
	}
	if t.Cell != "" && t.Cell != o.name {
		faults = append(faults, fmt.Errorf("the cell file is that of cell %q", t.Cell))
	}
	faults = append(faults, t.checkOptions(settings{dial: s.dial}), s.dial.checkPlain(ctx, t))
	return t, errors.Join(faults...)
}

// of returns the connections to a cell, by the Cell of an address; nil: there are none.
func (d *dialed) of(cell string) *dialed {
	if cell == d.cell {
		return d
	}
	return d.others[cell]
}

// send sends a message on the connections of the replica's cell.
func (d *dialed) send(to Replica, msg []byte) {
	if o := d.of(to.Cell); o != nil {
		o.port.Send(to.ID, msg)
	}
}
