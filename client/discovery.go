package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/transport/dnsname"
	"github.com/chubbycell/chubby/internal/transport/rpc"
)

// discovery finds the replicas of a cell whose addresses are in DNS. DNS has no ids of replicas, and the name of a host
// may lie about them: each address is asked which replica of which cell it is.
type discovery struct {
	name     dnsname.Name
	resolver *net.Resolver
	ask      rpc.ClientConfig                             // with which addresses are asked
	isFar    func(ctx context.Context, addr string) error // refuses an address that plain connections may not reach
}

// The pauses of a discovery that found no replica, how long one address is asked, and for how long more answers are
// waited for when there is one. An address may be that of a machine that is off.
const (
	discoverOne      = 3 * time.Second
	discoverAgain    = 100 * time.Millisecond
	discoverAgainMax = time.Second
	discoverMore     = time.Second
)

// found is a cell: its name, and the addresses of its replicas by id, "" where none is known.
type found struct {
	cell     string
	replicas map[uint32]string
}

// newDiscovery prepares the discovery of a target that has Discover.
func newDiscovery(t Target, o dialOptions, cell string) (*discovery, error) {
	name, err := dnsname.Parse(t.Discover)
	if err != nil {
		return nil, err
	}
	cfg, err := rpcConfig(t, o, cell)
	if err != nil {
		return nil, err
	}
	d := &discovery{name: name, resolver: o.resolver, ask: cfg, isFar: func(context.Context, string) error { return nil }}
	if !o.isFarAllowed(t) {
		d.isFar = func(ctx context.Context, addr string) error {
			if o.isFar(ctx, addr) {
				return fmt.Errorf("%w: %s", ErrInvalid, farAway(fmt.Sprintf("the address %s of %s", addr, name.Text)))
			}
			return nil
		}
	}
	return d, nil
}

// Resolve returns the target with the ids and addresses of the replicas and the name of the cell, if it names the cell
// in DNS (Discover); else it returns the target as it is. It looks the records up, asks each address which replica it
// is, and blocks until one answers or ctx ends, as Dial does, which calls it. The address of a replica that did not
// answer is "". It fails with ErrInvalid if DNS has no such records, or no address may or can be used; with
// ErrPermission if all addresses refuse the client; with the error of ctx if that ends first. Options of Dial that say
// who the client is, and how it connects, count.
func (t Target) Resolve(ctx context.Context, options ...Option) (Target, error) {
	if t.Discover == "" {
		return t, nil
	}
	s := settingsOf(options)
	t, err := t.discover(ctx, s.dial, s.name)
	if err != nil {
		return t, discoverError(ctx, "resolve", t.Discover, err)
	}
	return t, nil
}

// discoverError is the error of a discovery, preceded by why it ended if that is the end of its context.
func discoverError(ctx context.Context, op, target string, err error) error {
	return &Error{Op: op, Key: target, Causes: append(contextCauses(ctx, context.Cause(ctx)), err)}
}

func (t Target) discover(ctx context.Context, o dialOptions, cell string) (Target, error) {
	if t.Discover == "" {
		return t, nil
	}
	d, err := newDiscovery(t, o, cell)
	if err != nil {
		return t, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	f, err := d.run(ctx)
	if err == nil {
		t.Cell, t.Replicas = f.cell, f.replicas
	}
	return t, err
}

// run looks for the cell until a replica answers, ctx ends, or it is of no use to try again. The error is that of the last
// attempt.
func (d *discovery) run(ctx context.Context) (found, error) {
	for pause := discoverAgain; ; pause = min(2*pause, discoverAgainMax) {
		f, err := d.once(ctx)
		if err == nil || errors.Is(err, ErrInvalid) || errors.Is(err, ErrPermission) {
			return f, err
		}
		select {
		case <-ctx.Done():
			return f, err
		case <-time.After(pause):
		}
	}
}

// answer is what an address said.
type answer struct {
	addr string
	who  rpc.Identity
	err  error
}

// lookUp asks DNS for the addresses. The error is ErrInvalid if DNS says that there are none.
func (d *discovery) lookUp(ctx context.Context) ([]string, error) {
	addrs, err := d.name.LookUp(ctx, d.resolver)
	if errors.Is(err, dnsname.ErrNone) {
		err = fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return addrs, err
}

// once looks the records up and asks the addresses.
func (d *discovery) once(ctx context.Context) (found, error) {
	addrs, err := d.lookUp(ctx)
	if err != nil {
		return found{}, err
	}
	all := d.askAll(ctx, addrs)
	f := found{replicas: map[uint32]string{}}
	var refused, silent []error
	for _, a := range all {
		switch {
		case a.err != nil:
			why := fmt.Errorf("%s: %w", a.addr, a.err)
			if errors.Is(a.err, ErrInvalid) || errors.Is(a.err, ErrPermission) {
				refused = append(refused, why)
			} else {
				silent = append(silent, why)
			}
			continue
		case f.cell != "" && a.who.Cell != f.cell:
			return f, fmt.Errorf("%w: %s: replicas of two cells answer, %s and %s: give each cell a name of its own", ErrInvalid, d.name.Text, f.cell, a.who.Cell)
		}
		f.cell = a.who.Cell
		for _, id := range a.who.Members {
			f.replicas[id] += "" // it is a replica, wherever it is
		}
		if f.replicas[a.who.Replica] == "" { // else it has two addresses
			f.replicas[a.who.Replica] = a.addr
		}
	}
	switch {
	case f.cell != "":
		return f, nil
	case len(silent) == 0:
		return f, fmt.Errorf("%s: %w", d.name.Text, errors.Join(refused...))
	}
	return f, fmt.Errorf("%s: no address answers: %w", d.name.Text, errors.Join(append(refused, silent...)...))
}

// askAll asks all addresses at once, and returns what they said in the order of addrs. When one has answered, the others
// have discoverMore left.
func (d *discovery) askAll(ctx context.Context, addrs []string) []answer {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	said := make(chan answer, len(addrs))
	for _, addr := range addrs {
		go func() { said <- d.askOne(ctx, addr) }() // ends with ctx at the latest
	}
	var all []answer
	for range addrs {
		a := <-said
		if a.err == nil && !slices.ContainsFunc(all, func(b answer) bool { return b.err == nil }) {
			defer time.AfterFunc(discoverMore, cancel).Stop()
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b answer) int { return strings.Compare(a.addr, b.addr) })
	return all
}

func (d *discovery) askOne(ctx context.Context, addr string) answer {
	if err := d.isFar(ctx, addr); err != nil {
		return answer{addr: addr, err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, discoverOne)
	defer cancel()
	who, err := rpc.Identify(ctx, d.ask, addr)
	if err == nil && (who.Replica == 0 || who.Cell == "") {
		err = errors.New("a program answers that does not say which replica it is")
	}
	if err != nil {
		text := errors.New(status.Convert(err).Message())
		if kind := refusalKind(status.Code(err)); kind != nil {
			text = fmt.Errorf("%w: %w", kind, text)
		}
		err = text
	}
	return answer{addr, who, err}
}
