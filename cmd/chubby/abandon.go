package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
)

// abandoned makes a command of work that cannot be interrupted, such as a read of a
// FIFO to which nothing is written: when the context ends, the command returns, and
// the work goes on until the program ends. What the work has printed until then stays;
// nothing may depend on the rest of it.
func abandoned(work func(args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return orEnd(c.Context(), func() error { return work(args) })
	}
}

// orEnd returns what work does, or that ctx ended first. A panic of work is the
// caller's.
func orEnd(ctx context.Context, work func() error) error {
	var thrown cli.Panics
	ended := make(chan struct{})
	var result error
	go func() {
		defer close(ended)
		thrown.Guard(func() { result = work() })
	}()
	select {
	case <-ended:
		thrown.Rethrow()
		return result
	case <-ctx.Done():
		return cli.Interrupted()
	}
}
