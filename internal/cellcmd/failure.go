package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// codes are the exit codes of errors of calls. The first one that fits counts.
var codes = []struct {
	err  error
	code int
}{
	{client.ErrSessionExpired, cli.ExitLost},
	{client.ErrPermission, cli.ExitPermission},
	{client.ErrOutcomeUnknown, cli.ExitTimeout},
	{client.ErrWithdrawn, cli.ExitTimeout},
	{context.DeadlineExceeded, cli.ExitTimeout},
	{client.ErrNotFound, cli.ExitNotFound},
	{client.ErrGone, cli.ExitNotFound},
	{client.ErrConflict, cli.ExitConflict},
	{client.ErrExists, cli.ExitConflict},
	{client.ErrLockHeld, cli.ExitConflict},
	{client.ErrLockDelayed, cli.ExitConflict},
	{client.ErrNotHeld, cli.ExitLost},
	{client.ErrStaleSequencer, cli.ExitConflict},
	{client.ErrInvalid, cli.ExitUsage},
}

// failure gives the error of a call its exit code, and words without the name of our package.
func failure(ctx context.Context, err error) error {
	var f *cli.Failure
	switch {
	case err == nil || errors.As(err, &f):
		return err
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return cli.Interrupted()
	}
	text := errors.New(plain(err) + otherVerb(err))
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return &cli.Failure{Code: c.code, Err: text}
		}
	}
	return &cli.Failure{Code: cli.ExitRefused, Err: text}
}

// otherVerb names the command that does for a directory what this one does for a file, or the other way round; "" if that
// is not what is wrong.
func otherVerb(err error) string {
	e := new(client.Error)
	if !errors.As(err, &e) {
		return ""
	}
	switch {
	case e.Op == "contents" && errors.Is(err, client.ErrIsDirectory):
		return "; chubby ls lists it"
	case e.Op == "read-dir" && errors.Is(err, client.ErrNotDirectory):
		return "; chubby cat prints its contents, chubby stat its metadata"
	}
	return ""
}

// plain is the text of an error without the name of our package.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "client: ") }

// unreached adds to the error of a call that got no answer why replicas were not reached.
func unreached(cl *client.Client, err error) error {
	if why := cl.Unreached(); why != nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w\n%w", err, why)
	}
	return err
}
