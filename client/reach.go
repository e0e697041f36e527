package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/replica/api"
)

// outage is why the last attempt to reach a replica failed.
type outage struct {
	err error
	at  time.Time // by the clock of the Runtime
}

// oldOutage is the age from which an outage is reported with its age: no message was sent to the
// replica since, so it may serve again by now.
const oldOutage = 2 * time.Second

func (d *dialed) deliver(from uint32, msg []byte) {
	d.mu.Lock()
	delete(d.errs, from)
	delete(d.refused, from)
	d.mu.Unlock()
	if d.ctx.Err() == nil {
		d.onAnswer(from, msg)
	}
	d.rt.Deliver(Replica{d.cell, from}, msg)
}

// onAnswer records an answer that comes while Dial waits: which replica it names as the master, and
// whether there is room for a session. Busy alone does not tell a replica that has too much work
// for a moment from a cell that has as many sessions as it may.
func (d *dialed) onAnswer(from uint32, msg []byte) {
	p, err := api.DecodeReply(msg)
	if err == nil {
		d.mu.Lock()
		d.said[from] = refusalOf(from, p)
		d.mu.Unlock()
	}
	if err != nil || p.Code != api.Busy || p.Session != 0 || p.Seq != 0 || !d.asking.CompareAndSwap(false, true) {
		return
	}
	go func() { // ends with Dial at the latest
		defer d.asking.Store(false)
		r, err := d.conns.Describe(d.ctx, from)
		if n, most := r.GetSessions(), r.GetLimits().GetSessions(); err == nil && most > 0 && n >= most {
			d.giveUp(fmt.Errorf("%w: %d sessions are alive, and the limit is %d", ErrTooManySessions, n, most))
		}
	}()
}

func (d *dialed) failed(replica uint32, err error) {
	text := errors.New(status.Convert(err).Message())
	d.mu.Lock()
	d.errs[replica] = outage{text, d.rt.Now()}
	if why := d.refusalFor(replica, status.Code(err), text); why != nil {
		d.refused[replica] = why
	} else {
		delete(d.refused, replica)
	}
	hopeless := d.hopeless()
	d.mu.Unlock()
	d.rt.ReportUnreachable(Replica{d.cell, replica})
	if hopeless != nil {
		d.giveUp(hopeless)
	}
}

// refusalFor returns why a replica will not talk to this client however often it tries; nil: it may.
func (d *dialed) refusalFor(replica uint32, code codes.Code, text error) error {
	what := refusalKind(code)
	if what == nil {
		return nil
	}
	return fmt.Errorf("%w: %s: %w", what, d.place(replica), text)
}

// refusalKind is the error of a code with which a replica refuses a client for good; nil: it does not.
func refusalKind(code codes.Code) error {
	switch code {
	case codes.Unauthenticated, codes.PermissionDenied:
		return ErrPermission
	case codes.FailedPrecondition: // rpc.TLSError has this code, too
		return ErrInvalid
	}
	return nil
}

// addr is the present address of a replica; "": none is known.
func (d *dialed) addr(id uint32) string {
	if d.conns == nil {
		return d.target.Replicas[id]
	}
	return d.conns.Addr(id)
}

// place is a replica and its address in words.
func (d *dialed) place(id uint32) string {
	if addr := d.addr(id); addr != "" {
		return fmt.Sprintf("replica %d at %s", id, addr)
	}
	return fmt.Sprintf("replica %d", id)
}

// hopeless returns why Dial gives up: every replica refuses, or the present master has another address or another
// certificate than the target says, as far as replicas name it. It returns nil otherwise: a single replica may have a
// bad certificate, or not have a new token yet, and the others serve. It is called with mu held.
func (d *dialed) hopeless() error {
	var all []error
	isMasterWrong := false
	for _, id := range d.target.ids() {
		said, heard := d.said[id]
		switch {
		case d.refused[id] != nil:
			all = append(all, d.refused[id])
		case heard && errors.Is(d.refused[said.master], ErrInvalid):
			isMasterWrong = true
		case heard:
			return nil // it is another master, or may hear of one
		}
	}
	if isMasterWrong || len(all) == len(d.target.Replicas) {
		return errors.Join(all...)
	}
	return nil
}

// unreached returns, for each replica that was not reached, the reason.
func (d *dialed) unreached() (all []error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range d.target.ids() {
		o, failed := d.errs[id]
		if !failed {
			continue
		}
		age := d.rt.Now().Sub(o.at)
		if age < oldOutage {
			all = append(all, fmt.Errorf("%s: %w", d.place(id), o.err))
			continue
		}
		all = append(all, fmt.Errorf("%s: %w, %v ago, and not tried since", d.place(id), o.err, age.Round(time.Second)))
	}
	return all
}

// silent returns which replicas have neither answered Dial nor failed to: their connections are still being made, as
// where a firewall drops what comes.
func (d *dialed) silent() (all []error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range d.target.ids() {
		_, failed := d.errs[id]
		if _, heard := d.said[id]; !heard && !failed {
			all = append(all, fmt.Errorf("%s has not answered", d.place(id)))
		}
	}
	return all
}

// strayed returns what each replica answered that was reached since, if none of them was a serving master.
func (d *dialed) strayed() (all []error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range d.target.ids() {
		said, heard := d.said[id]
		master := said.master
		_, listed := d.target.Replicas[master]
		_, failed := d.errs[id]
		switch {
		case !heard || failed:
		case said.code == api.Recovering:
			all = append(all, fmt.Errorf("%s is the master since a fail-over, and %s", d.place(id), recovers))
		case master == 0:
			all = append(all, fmt.Errorf("%s answers but knows no master", d.place(id)))
		case !listed:
			all = append(all, fmt.Errorf("%s answers, and names replica %d as the master, which the target does not list", d.place(id), master))
		case master != id:
			all = append(all, fmt.Errorf("%s answers, and names replica %d as the master", d.place(id), master))
		}
	}
	return all
}

// Unreached returns an error for each replica of each cell that could not be reached when the Client
// last had a message for it, joined, or nil if there is none. It sends nothing. It returns nil if the Client
// was not made by Dial. A Client works while it reaches the master, and sends nothing to the other
// replicas, so it does not notice when one of them serves again: an error older than two seconds
// includes its age. To ask a replica now, use Serving.
func (c *Client) Unreached() error {
	if c.dialed == nil {
		return nil
	}
	all := c.dialed.unreached()
	for _, name := range slices.Sorted(maps.Keys(c.dialed.others)) {
		for _, err := range c.dialed.others[name].unreached() {
			all = append(all, fmt.Errorf("cell %s: %w", name, err))
		}
	}
	return errors.Join(all...)
}

// Serving asks a replica of a cell that Dial connected to whether it serves, that is, whether it
// knows a master. It blocks until the replica answers or ctx ends. It fails with ErrInvalid if the
// Client was not made by Dial, or the replica is not in a Target of it; with ErrClosed after Close; with the
// error of ctx if that ends first; and with the reason if the replica cannot be reached, which is
// also ErrInvalid if TLS is the reason, and ErrPermission if the replica does not accept the
// certificate.
func (c *Client) Serving(ctx context.Context, replica Replica) (bool, error) {
	if c.dialed == nil {
		return false, &Error{Op: "serving", Causes: []error{ErrInvalid, errors.New("the Client was not made by Dial")}}
	}
	d := c.dialed.of(replica.Cell)
	if d == nil {
		return false, &Error{Op: "serving", Causes: []error{ErrInvalid, fmt.Errorf("%v: Dial was given no WithCell of this name; the Cell of the local cell's replicas is empty", replica)}}
	}
	addr := d.addr(replica.ID)
	if _, listed := d.target.Replicas[replica.ID]; !listed {
		return false, &Error{Op: "serving", Causes: []error{ErrInvalid, fmt.Errorf("%v is not in the target", replica)}}
	}
	if d.isClosed() {
		return false, &Error{Op: "serving", Key: addr, Causes: []error{ErrClosed}}
	}
	ok, err := d.conns.Health(ctx, replica.ID)
	if err != nil {
		return false, &Error{Op: "serving", Key: addr, Causes: d.healthCauses(ctx, replica.ID, err)}
	}
	return ok, nil
}

// healthCauses returns why a replica could not be asked for its health.
func (d *dialed) healthCauses(ctx context.Context, replica uint32, err error) []error {
	text := errors.New(status.Convert(err).Message())
	why := context.Cause(ctx)
	if why == nil && status.Code(err) == codes.DeadlineExceeded { // gRPC was faster than the context
		why = context.DeadlineExceeded
	}
	switch refused := d.refusalFor(replica, status.Code(err), text); {
	case why != nil:
		return append(contextCauses(ctx, why), text)
	case d.isClosed():
		return []error{ErrClosed}
	case refused != nil:
		return []error{refused}
	}
	return []error{text}
}
