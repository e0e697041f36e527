package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/internal/transport/rpc"
	"github.com/chubbycell/chubby/replica/api"
)

// DialTimeout is how long Dial waits for a cell if its context has no deadline.
const DialTimeout = 10 * time.Second

// dialOptions are the options of Dial. New takes cfg alone.
type dialOptions struct {
	cfg        Config
	tls        *tls.Config
	token      string
	principal  string
	allowPlain bool
	alone      bool
	logger     *slog.Logger
}

// WithConfig sets timeouts and limits of a Client. Dial sets Replicas itself, and sets Draw if c
// leaves it unset. With New, each non-zero field of c except Replicas overrides that field of New's
// Config.
func WithConfig(c Config) Option { return func(s *settings) { s.dial.cfg = c } }

// WithTLS makes Dial connect with TLS. RootCAs holds the authority of the replicas' certificates.
// The common name of the client's certificate is the client's principal.
func WithTLS(c *tls.Config) Option { return func(s *settings) { s.dial.tls = c } }

// WithToken makes Dial prove the client's identity by a token.
func WithToken(token string) Option { return func(s *settings) { s.dial.token = token } }

// WithPrincipal sets the name of a client that proves no identity. A cell believes the name only on
// plain connections within one machine. Default: the name of the user that runs the program.
func WithPrincipal(name string) Option { return func(s *settings) { s.dial.principal = name } }

// WithPlain lets Dial make plain connections beyond the loopback interface. An attacker on the
// network can read and forge what goes over them.
func WithPlain() Option { return func(s *settings) { s.dial.allowPlain = true } }

// WithOwnConnections makes Dial open connections that no other Client uses. Without it, the Clients
// of one process with the same target, principal and secrets share one connection to each replica.
func WithOwnConnections() Option { return func(s *settings) { s.dial.alone = true } }

// WithLogger sets the logger to which a Client made by Dial reports on its connections. Default:
// none.
func WithLogger(l *slog.Logger) Option { return func(s *settings) { s.dial.logger = l } }

// over returns cfg overridden by the non-zero fields of WithConfig, except Replicas.
func (o dialOptions) over(cfg Config) Config {
	own := o.cfg
	own.Replicas = cfg.Replicas
	if own.Draw == nil {
		own.Draw = cfg.Draw
	}
	if own.Cache == (Cache{}) {
		own.Cache = cfg.Cache
	}
	own.AnswerWait = cmp.Or(own.AnswerWait, cfg.AnswerWait)
	own.RetryMin = cmp.Or(own.RetryMin, cfg.RetryMin)
	own.RetryMax = cmp.Or(own.RetryMax, cfg.RetryMax)
	own.ParkedRetry = cmp.Or(own.ParkedRetry, cfg.ParkedRetry)
	own.Rho = cmp.Or(own.Rho, cfg.Rho)
	own.Grace = cmp.Or(own.Grace, cfg.Grace)
	own.Window = cmp.Or(own.Window, cfg.Window)
	own.Queue = cmp.Or(own.Queue, cfg.Queue)
	return own
}

// onlyOfDial returns an error that names the given options that New does not accept; nil: none.
func (o dialOptions) onlyOfDial() error {
	var names []string
	for _, x := range []struct {
		name string
		set  bool
	}{
		{"WithTLS", o.tls != nil}, {"WithToken", o.token != ""}, {"WithPrincipal", o.principal != ""},
		{"WithPlain", o.allowPlain}, {"WithOwnConnections", o.alone}, {"WithLogger", o.logger != nil},
	} {
		if x.set {
			names = append(names, x.name)
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("%s: only for the connections that Dial makes, and this Client has none", strings.Join(names, ", "))
}

// dialed is the environment of a Client that Dial made.
type dialed struct {
	target Target
	rt     *Goroutines
	conns  *connections
	port   *rpc.Port
	ctx    context.Context         // of Dial: over when it returns
	giveUp context.CancelCauseFunc // ends Dial
	asking atomic.Bool             // a replica is asked why it opens no session
	once   sync.Once               // close does its work once

	mu   sync.Mutex
	errs map[uint32]outage  // why each replica was not reached, since its last message
	tls  map[uint32]bool    // those of them that a certificate problem keeps from being reached
	said map[uint32]refusal // during Dial: the last answer of each replica
}

// outage is why the last attempt to reach a replica failed.
type outage struct {
	err error
	at  time.Time // by the clock of the Runtime
}

// oldOutage is the age from which an outage is reported with its age: no message was sent to the
// replica since, so it may serve again by now.
const oldOutage = 2 * time.Second

// Dial connects to a cell over the network and returns a Client when the session with the cell is
// open. The target is a list of replicas, "1=host:port,2=host:port,3=host:port", or the name of a
// cell file (Target). Connections are plain unless the target or an option says otherwise, and
// plain connections stay on the loopback interface.
//
// The target lists all replicas, or at least the present master. Dial does not use a proxy from the
// environment (HTTPS_PROXY). The ctx bounds Dial, not the Client that it returns.
//
// Dial fails when ctx ends, or after DialTimeout if ctx has no deadline. The error then says of
// each replica why it was not reached, which replica it takes for the master, or that it is the
// master and waits for the clients of the last one. Errors of later calls whose context ends say so
// too.
//
// Dial fails at once with ErrInvalid if the target or an option is wrong, if a plain connection
// would leave the loopback interface without WithPlain, if a replica is not the one that the target
// says or is of another cell than the cell file or WithName says, or if no replica has an
// acceptable certificate. It fails at once with ErrPermission if a replica does not accept the
// client's certificate or token, and with ErrTooManySessions if the cell has no room for a session.
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
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, DialTimeout)
		defer cancel()
	}
	if err := s.dial.checkPlain(ctx, t); err != nil {
		return nil, invalid(err)
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	d, err := newDialed(ctx, t, s.dial, s.name, giveUp)
	if err != nil {
		return nil, invalid(err)
	}
	if s.name == "" {
		s.name = d.cellName()
	}
	c := newClient(d.rt, d.config(s.dial.cfg), s, nil)
	c.dialed = d
	c.local.setOutages(d.unreached)
	if err := c.Ready(ctx); err != nil {
		d.close()
		return nil, d.explain(ctx, target, err)
	}
	return c, nil
}

// checkOptions returns the faults of Dial's options for this target; nil: none.
func (t Target) checkOptions(s settings) error {
	var faults []error
	if len(s.cells) > 0 {
		faults = append(faults, errors.New("WithCells: Dial connects to one cell: call Dial once for each cell"))
	}
	if s.name != "" && t.Cell != "" && s.name != t.Cell {
		faults = append(faults, fmt.Errorf("WithName(%q): the cell file is that of cell %q", s.name, t.Cell))
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
	if o.tls != nil || t.CA != "" || o.allowPlain || t.AllowPlain {
		return nil
	}
	var faults []error
	for _, id := range t.ids() {
		host, _, _ := net.SplitHostPort(t.Replicas[id])
		addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		isNear := func(a netip.Addr) bool { return a.IsLoopback() || a.IsUnspecified() }
		if host != "" && err == nil && !slices.ContainsFunc(addrs, isNear) {
			faults = append(faults, fmt.Errorf("replica %d at %s is not on the loopback interface, and the connection is plain: configure TLS, or permit plain connections if the network is trusted (WithPlain, or allow_plain in the cell file)", id, t.Replicas[id]))
		}
	}
	return errors.Join(faults...)
}

// newDialed makes the connections, or uses those that Clients of this process have already.
func newDialed(ctx context.Context, t Target, o dialOptions, name string, giveUp context.CancelCauseFunc) (*dialed, error) {
	d := &dialed{target: t, ctx: ctx, giveUp: giveUp, errs: map[uint32]outage{}, tls: map[uint32]bool{}, said: map[uint32]refusal{}}
	who := o.principal
	if who == "" {
		who = t.Principal
	}
	if who == "" {
		who = rpc.UserName()
	}
	var err error
	if d.conns, err = connect(t, o, name, who); err != nil {
		return nil, err
	}
	d.rt = NewRuntime(func(to uint32, msg []byte) { d.port.Send(to, msg) }) // before failed may be called
	var ok bool
	if d.port, ok = d.conns.Open(d.deliver, d.failed); !ok {
		d.conns.release()
		return nil, errors.New("4294967295 Clients have been made on these connections: close them all")
	}
	return d, nil
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

func (d *dialed) deliver(from uint32, msg []byte) {
	d.mu.Lock()
	delete(d.errs, from)
	delete(d.tls, from)
	d.mu.Unlock()
	if d.ctx.Err() == nil {
		d.onAnswer(from, msg)
	}
	d.rt.Deliver(from, msg)
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
	isTLS := errors.As(err, new(*rpc.TLSError))
	if isTLS {
		d.tls[replica] = true
	} else {
		delete(d.tls, replica)
	}
	isHopeless := len(d.tls) == len(d.target.Replicas)
	d.mu.Unlock()
	d.rt.ReportUnreachable(replica)
	switch code := status.Code(err); {
	case isTLS && !isHopeless: // one replica may have a bad certificate, and the others serve
	case code == codes.Unauthenticated, code == codes.PermissionDenied:
		d.giveUp(fmt.Errorf("%w: replica %d at %s: %w", ErrPermission, replica, d.target.Replicas[replica], text))
	case code == codes.FailedPrecondition:
		d.giveUp(fmt.Errorf("%w: replica %d at %s: %w", ErrInvalid, replica, d.target.Replicas[replica], text))
	}
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
			all = append(all, fmt.Errorf("replica %d at %s: %w", id, d.target.Replicas[id], o.err))
			continue
		}
		all = append(all, fmt.Errorf("replica %d at %s: %w, %v ago, and not tried since", id, d.target.Replicas[id], o.err, age.Round(time.Second)))
	}
	return all
}

// strayed returns what each replica answered, if none of them was a serving master.
func (d *dialed) strayed() (all []error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range d.target.ids() {
		said, heard := d.said[id]
		master := said.master
		_, listed := d.target.Replicas[master]
		switch {
		case !heard:
		case said.code == api.Recovering:
			all = append(all, fmt.Errorf("replica %d at %s is the master since a fail-over, and %s", id, d.target.Replicas[id], recovers))
		case master == 0:
			all = append(all, fmt.Errorf("replica %d at %s answers but knows no master", id, d.target.Replicas[id]))
		case !listed:
			all = append(all, fmt.Errorf("replica %d at %s answers, and names replica %d as the master, which the target does not list", id, d.target.Replicas[id], master))
		case master != id:
			all = append(all, fmt.Errorf("replica %d at %s answers, and names replica %d as the master", id, d.target.Replicas[id], master))
		}
	}
	return all
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
	return &Error{Op: "dial", Key: target, Causes: slices.Concat(e.Causes, d.unreached(), d.strayed())}
}

// setOutages lets a call whose context ends report why replicas are not reached.
func (c *conn) setOutages(why func() []error) {
	if c == nil { // the Config is invalid
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outages = why
}

// close closes the connections. The Client's calls get no more answers.
func (d *dialed) close() {
	d.rt.mu.Lock()
	d.rt.closed = true
	d.rt.mu.Unlock()
	d.once.Do(func() {
		d.port.Close()
		d.conns.release()
	})
}

// Unreached returns an error for each replica that could not be reached when the Client last had a
// message for it, joined, or nil if there is none. It sends nothing. It returns nil if the Client
// was not made by Dial. A Client works while it reaches the master, and sends nothing to the other
// replicas, so it does not notice when one of them serves again: an error older than two seconds
// includes its age. To ask a replica now, use Serving.
func (c *Client) Unreached() error {
	if c.dialed == nil {
		return nil
	}
	return errors.Join(c.dialed.unreached()...)
}

// Serving asks a replica of a cell that Dial connected to whether it serves, that is, whether it
// knows a master. It blocks until the replica answers or ctx ends. It fails with ErrInvalid if the
// Client was not made by Dial, and with the reason if the replica cannot be asked: it does not
// answer, or its id is not in the Target.
func (c *Client) Serving(ctx context.Context, replica uint32) (bool, error) {
	if c.dialed == nil {
		return false, &Error{Op: "serving", Causes: []error{ErrInvalid, errors.New("the Client was not made by Dial")}}
	}
	ok, err := c.dialed.conns.Health(ctx, replica)
	if err != nil {
		return false, &Error{Op: "serving", Key: c.dialed.target.Replicas[replica], Causes: []error{errors.New(status.Convert(err).Message())}}
	}
	return ok, nil
}

// Target returns the target that Dial connected to, or the zero Target if the Client was not made
// by Dial.
func (c *Client) Target() Target {
	if c.dialed == nil {
		return Target{}
	}
	return c.dialed.target
}

// LeaseLeft returns for how much longer the session with the local cell is known to be alive, by
// the clock of the Client's Runtime. In jeopardy it is 0 or less, and falls as time passes. While
// LeaseLeft is above -D, the cell keeps other clients from a lock with lock-delay D. ok is false if
// the session has had no lease, and after this program has closed the Client.
func (c *Client) LeaseLeft() (left time.Duration, ok bool) {
	s := c.Status()
	isClosed := s.State == session.Ending || s.State == session.Over && s.Why == session.Closed
	if s.Bound.IsZero() || isClosed {
		return 0, false
	}
	return s.Bound.Sub(c.rt.Now()), true
}
