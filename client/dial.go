package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/internal/transport/rpc"
	"github.com/chubbycell/chubby/replica/api"
)

// DialTimeout is how long Dial waits for a cell if its context has no deadline.
const DialTimeout = 10 * time.Second

// dialed is the environment of a Client that Dial made: the connections to one of its cells.
type dialed struct {
	cell   string             // the Cell of its replicas' addresses
	others map[string]*dialed // of the local cell: the other cells, by name
	target Target
	rt     *Goroutines // one for all cells
	conns  *connections
	port   *rpc.Port
	ctx    context.Context         // of Dial: over when it returns
	giveUp context.CancelCauseFunc // ends Dial
	asking atomic.Bool             // a replica is asked why it opens no session
	once   sync.Once               // close does its work once

	mu      sync.Mutex
	errs    map[uint32]outage  // why each replica was not reached, since its last message
	refused map[uint32]error   // of those of them that it is of no use to try again: why
	said    map[uint32]refusal // during Dial: the last answer of each replica
}

// Dial connects to a cell over the network and returns a Client when the session with the cell is
// open. The target is a list of replicas, "1=host:port,2=host:port,3=host:port", the name of a
// cell file (Target), or a name in DNS, "dns:///NAME:PORT" or "dns+srv:///NAME" (ParseTarget). Connections are plain unless the target or an option says otherwise, and
// plain connections stay on the loopback interface.
//
// The Client calls this cell as /ls/local, and as /ls/NAME if the cell file or WithName names it.
// WithCell adds other cells.
//
// The target lists all replicas, or at least the present master. If they are in DNS, Dial looks them
// up and asks each address which replica it is, as Resolve does; one answer is enough. Dial does not use
// a proxy from the environment (HTTPS_PROXY). The ctx bounds Dial, not the Client that it returns.
//
// When a replica is not reached, the Client looks up the records, or reads the cell file, again: at
// once, and then every five seconds at most. From the file it takes the addresses alone. The set of replicas
// is that of Dial. What cannot be read leaves the addresses as they are, and is logged (WithLogger). A
// connection that works stays open. A list of replicas does not change.
//
// Dial fails when ctx ends, or after DialTimeout if ctx has no deadline. The error then says of
// each replica why it was not reached, which replica it takes for the master, or that it is the
// master and waits for the clients of the last one. Errors of later calls whose context ends say so
// too.
//
// Dial fails at once with ErrInvalid if the target or an option is wrong, if DNS has no records of the
// target's name, or if a plain connection would leave the loopback interface without WithPlain; and with ErrTooManySessions if the cell has
// no room for a session.
//
// Dial gives up before that time if every replica refuses the client. The error is ErrPermission if a
// replica does not accept the client's certificate or token. It is ErrInvalid if one is not the
// replica that the target says, or is of another cell than the cell file or WithName says, or if TLS
// keeps it from being reached: its certificate is not acceptable, or only one side speaks TLS. Dial
// gives up with ErrInvalid also if this is so of the present master. A single replica that refuses
// does not keep Dial from the others.
//
// If the target names files of certificates and tokens and these files have changed, the Client
// reads them again for each new connection. Certificates and tokens given as options stay as they
// are.
//
// Clients of one process with the same target and options share one connection to each replica,
// unless WithOwnConnections says otherwise. Close the Client after use: the last one closes the
// connections too.
func Dial(ctx context.Context, target string, options ...Option) (*Client, error) {
	invalid := func(err error) error {
		return &Error{Op: "dial", Key: target, Causes: []error{ErrInvalid, err}}
	}
	t, err := ParseTarget(target)
	if err != nil {
		return nil, invalid(err)
	}
	s := settingsOf(options)
	if err := t.checkOptions(s); err != nil {
		return nil, invalid(err)
	}
	if isFile(target) {
		if s.dial.file, err = filepath.Abs(target); err != nil {
			return nil, invalid(err)
		}
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, DialTimeout)
		defer cancel()
	}
	if t, err = t.discover(ctx, s.dial, s.name); err != nil {
		return nil, discoverError(ctx, "dial", target, err)
	}
	if err := s.dial.checkPlain(ctx, t); err != nil {
		return nil, invalid(err)
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	d := newDialed(ctx, t, giveUp)
	if err := d.connect(s.dial, s.name); err != nil {
		return nil, invalid(err)
	}
	if s.cells, err = d.connectOthers(ctx, s.others); err != nil {
		d.close()
		return nil, invalid(err)
	}
	if s.name == "" {
		s.name = d.cellName()
	}
	c := newClient(d.rt, d.config(s.dial.cfg), s, nil)
	c.dialed = d
	if c.configErr != nil {
		c.abandon()
		return nil, invalid(c.configErr)
	}
	c.local.setOutages(d.unreached)
	for name, o := range d.others {
		c.byName[api.Cell(name)].setOutages(o.unreached)
	}
	if err := c.Ready(ctx); err != nil {
		err = d.explain(ctx, target, err)
		c.abandon()
		return nil, err
	}
	return c, nil
}

// abandon closes a Client that Dial does not return. It does not wait. Otherwise the session machine
// would look for a master for ever.
func (c *Client) abandon() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = c.Close(ended)
	c.dialed.close() // Close has not done so if the Config is invalid
}

// checkOptions returns the faults of Dial's options for this target; nil: none.
func (t Target) checkOptions(s settings) error {
	var faults []error
	if len(s.cells) > 0 {
		faults = append(faults, errors.New("WithCells: Dial does not know where these replicas are: give it each other cell by WithCell"))
	}
	if s.name != "" && t.Cell != "" && s.name != t.Cell {
		faults = append(faults, fmt.Errorf("WithName(%q): the cell file is that of cell %q", s.name, t.Cell))
	}
	if !rpc.CanSend(s.dial.token) {
		faults = append(faults, fmt.Errorf("WithToken: %w", errToken))
	}
	for _, who := range []string{s.dial.principal, t.Principal} {
		if who != "" && api.Principal(who).Check() != api.OK {
			faults = append(faults, fmt.Errorf("%q is not the name of a principal: give a word without spaces and control characters", who))
		}
	}
	return errors.Join(faults...)
}

// checkPlain refuses plain connections to other machines, which could never carry a message. If a
// name cannot be looked up now, the check is left to the connections.
func (o dialOptions) checkPlain(ctx context.Context, t Target) error {
	if o.isFarAllowed(t) {
		return nil
	}
	var faults []error
	for _, id := range t.ids() {
		if o.isFar(ctx, t.Replicas[id]) {
			faults = append(faults, errors.New(farAway(fmt.Sprintf("replica %d at %s", id, t.Replicas[id]))))
		}
	}
	return errors.Join(faults...)
}

// isFarAllowed reports whether connections may leave the loopback interface.
func (o dialOptions) isFarAllowed(t Target) bool {
	return o.tls != nil || t.CA != "" || o.allowPlain || t.AllowPlain
}

// isFar reports whether an address is known to be beyond the loopback interface.
func (o dialOptions) isFar(ctx context.Context, addr string) bool {
	host, _, _ := net.SplitHostPort(addr)
	if host == "" {
		return false
	}
	addrs, err := cmp.Or(o.resolver, net.DefaultResolver).LookupNetIP(ctx, "ip", host)
	isNear := func(a netip.Addr) bool { return a.IsLoopback() || a.IsUnspecified() }
	return err == nil && !slices.ContainsFunc(addrs, isNear)
}

// farAway is the fault of an address beyond the loopback interface, where that is not allowed.
func farAway(what string) string {
	return what + " is not on the loopback interface, and the connection is plain: configure TLS, or permit plain connections if the network is trusted (WithPlain, or allow_plain in the cell file)"
}

// newDialed returns the environment of a Client of the target's cell, without connections.
func newDialed(ctx context.Context, t Target, giveUp context.CancelCauseFunc) *dialed {
	d := &dialed{target: t, ctx: ctx, giveUp: giveUp, errs: map[uint32]outage{}, refused: map[uint32]error{}, said: map[uint32]refusal{}}
	d.rt = NewRuntime(d.send)
	return d
}

// connect makes the connections, or uses those that Clients of this process have already.
func (d *dialed) connect(o dialOptions, name string) (err error) {
	if d.conns, err = connect(d.target, o, name); err != nil {
		return err
	}
	var ok bool
	if d.port, ok = d.conns.Open(d.deliver, d.failed); !ok {
		d.conns.release()
		return errors.New("4294967295 Clients have been made on these connections: close them all")
	}
	return nil
}

func (d *dialed) config(c session.Config) Config {
	c.Replicas = d.target.ids()
	if c.Draw == nil {
		c.Draw = Entropy
	}
	return c
}

// cellName returns the name by which /ls/CELL means the cell; "": the target has none.
func (d *dialed) cellName() string {
	if name := api.Cell(d.target.Cell); name.Check() == api.OK && name != api.LocalCell {
		return d.target.Cell
	}
	return ""
}

// explain returns the error of Dial: why it gave up, or else the error of Ready, and why each
// replica was not reached.
func (d *dialed) explain(ctx context.Context, target string, err error) error {
	if why := context.Cause(ctx); errors.Is(why, ErrPermission) || errors.Is(why, ErrInvalid) || errors.Is(why, ErrTooManySessions) {
		return &Error{Op: "dial", Key: target, Causes: []error{why}}
	}
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	return &Error{Op: "dial", Key: target, Causes: slices.Concat(e.Causes, d.unreached(), d.strayed(), d.silent())}
}

// setOutages lets a call whose context ends report why replicas are not reached.
func (c *conn) setOutages(why func() []error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outages = why
}

// isClosed reports whether close was called.
func (d *dialed) isClosed() bool {
	d.rt.mu.Lock()
	defer d.rt.mu.Unlock()
	return d.rt.closed
}

// close closes the connections. The Client's calls get no more answers.
func (d *dialed) close() {
	d.rt.mu.Lock()
	d.rt.closed = true
	d.rt.mu.Unlock()
	d.once.Do(func() {
		d.port.Close()
		d.conns.release()
		for _, o := range d.others {
			o.close()
		}
	})
}

// Target returns the target of the local cell that Dial connected to, with the present addresses, or the
// zero Target if the Client was not made by Dial.
func (c *Client) Target() Target {
	if c.dialed == nil {
		return Target{}
	}
	t := c.dialed.target
	t.Replicas = map[uint32]string{}
	for _, id := range c.dialed.target.ids() {
		t.Replicas[id] = c.dialed.addr(id)
	}
	return t
}
