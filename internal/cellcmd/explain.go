package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	grpccodes "google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// explain adds to the error of a command that got no answer in time what the replicas say of
// themselves, or why they are not reached.
func (a *call) explain(ctx context.Context, err error) error {
	if f := new(cli.Failure); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil || errors.As(err, &f) {
		return err
	}
	head, _, _ := strings.Cut(plain(err), "\n")
	e := new(client.Error)
	isDial := errors.As(err, &e) && e.Op == "dial"
	var told string
	asked := a.operate(ctx, func(ctx context.Context, o *operator) error {
		if isDial {
			o.tried = a.timeout
		}
		all, silent := o.describe(ctx)
		if isDial {
			head = fmt.Sprintf("no session with %s after %v", o.cell(), a.timeout)
		}
		head += lacking(all)
		if silent != nil {
			if told = silent.Error(); !isDial {
				told = head + "\n" + told
			}
			return nil
		}
		told = head + "\n" + o.report(all) + o.unlisted(all)
		return nil
	})
	if asked != nil {
		return err
	}
	return &cli.Failure{Code: cli.CodeOf(failure(ctx, err)), Err: errors.New(told)}
}

// lacking says that no replica reaches a majority, if that is so; else "".
func lacking(all []description) string {
	most, members := 0, 0
	for _, d := range all {
		reached := 0
		for _, m := range d.got.GetMembers() {
			if m.GetConnected() {
				reached++
			}
		}
		most, members = max(most, reached), max(members, len(d.got.GetMembers()))
	}
	if need := members/2 + 1; most < need && members > 0 {
		return fmt.Sprintf(": a majority is missing, %d of the %d replicas have to reach each other", need, members)
	}
	return ""
}

// cell is the cell in words.
func (o *operator) cell() string {
	if o.target.Cell == "" {
		return "the cell"
	}
	return "cell " + o.target.Cell
}

// report has a line for each replica, and one for each of its warnings.
func (o *operator) report(all []description) string {
	var lines []string
	for _, d := range all {
		if d.err != nil {
			lines = append(lines, o.fault(d))
			continue
		}
		part := d.got.GetRole()
		if part != "candidate" { // which follows no one
			part += ", " + d.got.GetState()
		}
		lines = append(lines, o.place(d.id)+": "+part)
		for _, w := range d.got.GetWarnings() {
			lines = append(lines, "    "+w)
		}
	}
	return strings.Join(lines, "\n")
}

// unlisted says that the replicas name a master that is not called, if that is so; else "".
func (o *operator) unlisted(all []description) string {
	d := newest(all)
	id := d.GetLeader()
	switch {
	case id == 0 || o.target.Replicas[id] != "":
	case o.target.Discover != "":
		return fmt.Sprintf("\nreplica %d leads, and no address that %s has is its own: add its record, or look at the others", id, o.target.Discover)
	default:
		return fmt.Sprintf("\nreplica %d leads, and its address is not given: --cell takes all replicas, ID=HOST:PORT,ID=HOST:PORT", id)
	}
	return ""
}

// fault says why a replica gave no answer.
func (o *operator) fault(d description) string {
	return fmt.Sprintf("%s: %s", o.place(d.id), words(d.err))
}

// silence is the error where no replica describes itself. The first one that refuses decides the exit code, whichever
// others are down.
func (o *operator) silence(all []description) error {
	head := "no replica of " + o.cell() + " answers"
	isLate := slices.ContainsFunc(all, func(d description) bool { return grpcstatus.Code(d.err) == grpccodes.DeadlineExceeded })
	tried := o.tried
	if tried == 0 && isLate && o.within < askFor {
		tried = o.within
	}
	if tried > 0 {
		head += fmt.Sprintf(" within %v (--timeout)", tried)
	}
	decides := all[0].err
	var lines []string
	for _, d := range all {
		lines = append(lines, o.fault(d))
		switch grpcstatus.Code(d.err) {
		case grpccodes.Unavailable, grpccodes.DeadlineExceeded:
		default: // that is an answer
			if head != "" {
				head, decides = "", d.err
			}
		}
	}
	told := strings.Join(lines, "\n")
	if head != "" {
		told = head + "\n" + told
	}
	return operatorError(decides, errors.New(told))
}

// words is an error of gRPC in plain words; "" for nil.
func words(err error) string {
	if err == nil {
		return ""
	}
	return grpcstatus.Convert(err).Message()
}
