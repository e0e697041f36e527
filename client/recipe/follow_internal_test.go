package recipe

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
)

// A context may end with an error of the client as its cause, as that of a lost lock does. No recipe takes
// this for what the cell says of the recipe's own node.
func TestTheCauseOfAContextIsNoAnswerOfTheCell(t *testing.T) {
	for _, cause := range []error{client.ErrGone, client.ErrNotFound} {
		synctest.Test(t, func(t *testing.T) {
			c := chubbytest.Start(t, chubbytest.Options{Replicas: 1}).Client(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			tries := 0
			watched := watchedContext{ctx, &tries}
			time.AfterFunc(time.Minute, func() { cancel(fmt.Errorf("the lock is lost: %w", cause)) })
			var last error
			for _, err := range Observe(watched, c, "/ls/local/d/leader") {
				last = err
			}
			require.ErrorIs(t, last, context.Canceled)

			d, err := c.Open(t.Context(), "/ls/local/members", client.OpenOptions{Create: client.CreateMay, Directory: true})
			require.NoError(t, err)
			_, err = Register(t.Context(), c, "/ls/local/members", "a", "here")
			require.NoError(t, err)
			r := &roster{}
			_, err = r.entry(ctx, d, client.Child{Name: "a", Stat: client.Stat{Length: 4}})
			require.ErrorIs(t, err, cause)
			require.False(t, says(ctx, err, cause), "a member is not missing because the context has ended")
			require.True(t, says(ctx, cause, cause))
		})
	}
}

// watchedContext panics if it is asked too often whether it has ended.
type watchedContext struct {
	context.Context
	asked *int
}

func (w watchedContext) Err() error {
	err := w.Context.Err()
	if err != nil {
		if *w.asked++; *w.asked > 1000 {
			panic(errors.New("a loop does not end with its context"))
		}
	}
	return err
}
