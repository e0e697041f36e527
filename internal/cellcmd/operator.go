package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	grpccodes "google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/transport/rpc"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// operator asks the replicas of a cell how they are. It has no session with the cell, so it is
// answered also while the cell has no master.
type operator struct {
	target client.Target
	conns  *rpc.Client
	within time.Duration // for which the command may take; 0: unknown
	tried  time.Duration // for which the command has waited for a session before; 0: it has not
}

// description is the answer of one replica, or why there is none.
type description struct {
	id  uint32
	got *chubbyv1.ReplicaDescription
	err error
}

// operate connects to the replicas for the time of f.
func (a *call) operate(ctx context.Context, f func(ctx context.Context, o *operator) error) error {
	name, err := a.target()
	if err != nil {
		return err
	}
	t, err := client.ParseTarget(name)
	if err != nil {
		return cli.Usage("%v", err)
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	if t, err = resolved(ctx, t); err != nil {
		return err
	}
	secure, err1 := t.TLS()
	token, err2 := t.Token()
	if err := errors.Join(err1, err2); err != nil {
		return cli.Usage("%v", err)
	}
	o := &operator{target: t, within: a.timeout}
	o.conns, err = rpc.NewClient(rpc.ClientConfig{
		Cell: t.Cell, Replicas: t.Replicas, TLS: secure, Token: token, Principal: principal(t), AllowPlain: t.AllowPlain,
		ServerName: t.ServerName(), Deliver: func(uint32, []byte) {},
	})
	if err != nil {
		return cli.Usage("%v", err)
	}
	defer o.conns.Close()
	return f(ctx, o)
}

// resolveFor is how long a command that has no session with a cell looks for its addresses in DNS.
const resolveFor = 2 * time.Second

// resolved is a target with the addresses that DNS has, if it names the cell there.
func resolved(ctx context.Context, t client.Target) (client.Target, error) {
	ctx, cancel := context.WithTimeout(ctx, resolveFor)
	defer cancel()
	return t.Resolve(ctx)
}

// place is a replica and its address in words.
func (o *operator) place(id uint32) string {
	if addr := o.target.Replicas[id]; addr != "" {
		return fmt.Sprintf("replica %d at %s", id, addr)
	}
	return fmt.Sprintf("replica %d", id)
}

// principal is the name that is said where none is proved, as client.Dial says it.
func principal(t client.Target) string {
	if t.Principal != "" {
		return t.Principal
	}
	return rpc.UserName()
}

// describe asks all replicas at once. It fails if none answers.
func (o *operator) describe(ctx context.Context) ([]description, error) {
	return o.describeUntil(ctx, func([]description) bool { return false })
}

// describeUntil asks all replicas at once, until those that have answered are enough, for two seconds at most. It fails
// if none answers.
func (o *operator) describeUntil(ctx context.Context, enough func(all []description) bool) ([]description, error) {
	all := ask(ctx, slices.Sorted(maps.Keys(o.target.Replicas)), o.conns.Describe, enough)
	for _, d := range all {
		if d.err == nil {
			return all, nil
		}
	}
	return all, o.silence(all)
}

// errNotAsked is the error of a replica whose answer was not waited for.
var errNotAsked = errors.New("the others had answered")

// askFor is how long the replicas are waited for.
const askFor = 2 * time.Second

// ask calls one for each replica, at the same time, and returns the descriptions in the order of ids, as soon as they are
// enough.
func ask(ctx context.Context, ids []uint32, one func(context.Context, uint32) (*chubbyv1.ReplicaDescription, error), enough func(all []description) bool) []description {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	all := make([]description, len(ids))
	answered := make(chan func(), len(ids))
	for i, id := range ids {
		all[i] = description{id: id, err: errNotAsked}
		wg.Go(func() {
			got, err := one(ctx, id)
			answered <- func() { all[i].got, all[i].err = got, err }
		})
	}
	for range ids {
		if (<-answered)(); enough(all) {
			break
		}
	}
	return all
}

// isMasterAmong reports whether a majority has answered, and the newest epoch among the answers is that of a master that
// serves: no other replica can then be the master, unless one becomes it just now.
func isMasterAmong(all []description) bool {
	n, newest, served := 0, uint64(0), uint64(0)
	for _, d := range all {
		if d.err != nil {
			continue
		}
		n++
		newest = max(newest, d.got.GetEpoch())
		if d.got.GetServing() {
			served = max(served, d.got.GetEpoch())
		}
	}
	return 2*n > len(all) && served != 0 && served == newest
}

// master is the replica that serves as the master; ok is false if none says so, and then it is
// another one that answers. It does not wait for a replica that hangs if the others leave no doubt.
func (o *operator) master(ctx context.Context) (id uint32, ok bool, err error) {
	all, err := o.describeUntil(ctx, isMasterAmong)
	if err != nil {
		return 0, false, err
	}
	id, ok = masterAmong(all)
	return id, ok, nil
}

// mustMaster is the replica that serves as the master, or a failure that says what was not done.
func (o *operator) mustMaster(ctx context.Context, undone string) (id uint32, err error) {
	id, ok, err := o.master(ctx)
	if err == nil && !ok {
		err = &cli.Failure{Code: cli.ExitTimeout, Err: fmt.Errorf("no replica serves as the master: %s; chubby members says how the replicas are", undone)}
	}
	return id, err
}

// masterAmong is the master among replicas, or else another one that answers. Of two that serve, one does not know
// yet that it is deposed: that of the older epoch.
func masterAmong(all []description) (id uint32, ok bool) {
	var epoch uint64
	for _, d := range all {
		switch {
		case d.got.GetServing() && (!ok || d.got.GetEpoch() > epoch):
			id, ok, epoch = d.id, true, d.got.GetEpoch()
		case d.err == nil && !ok:
			id = d.id
		}
	}
	return id, ok
}

// orderError says what is known after an error of a call that changes something: unknown, where the connection may have
// broken behind the request; lacks, of a replica whose program does not have the call.
func orderError(id uint32, err error, unknown, lacks string) error {
	told := fmt.Sprintf("replica %d: %s", id, words(err))
	switch grpcstatus.Code(err) {
	case grpccodes.Unavailable, grpccodes.DeadlineExceeded, grpccodes.Unknown:
		return &cli.Failure{Code: cli.ExitTimeout, Err: fmt.Errorf("%s: %s", told, unknown)}
	case grpccodes.Unimplemented:
		told = fmt.Sprintf("replica %d runs an older program that %s", id, lacks)
	}
	return operatorError(err, errors.New(told))
}

// operatorError gives the error of a call its exit code.
func operatorError(of, told error) error {
	code := cli.ExitRefused
	switch grpcstatus.Code(of) {
	case grpccodes.Unauthenticated, grpccodes.PermissionDenied:
		code = cli.ExitPermission
	case grpccodes.FailedPrecondition:
		code = cli.ExitUsage
	case grpccodes.Unavailable, grpccodes.DeadlineExceeded:
		code = cli.ExitTimeout
	case grpccodes.Canceled:
		return cli.Interrupted()
	}
	return &cli.Failure{Code: code, Err: told}
}
