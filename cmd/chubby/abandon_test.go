package main

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

func TestWorkIsAbandonedWhenTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	begun, never := make(chan struct{}), make(chan struct{})
	go func() { <-begun; cancel() }()
	err := orEnd(ctx, func() error { close(begun); <-never; return nil })
	close(never)
	require.Equal(t, cli.ExitInterrupted, cli.CodeOf(err))

	other := errors.New("other")
	require.Equal(t, other, orEnd(t.Context(), func() error { return other }))
	require.PanicsWithValue(t, "a bug", func() {
		defer func() { // with the stack of the goroutine behind it
			text, _ := recover().(string)
			require.Contains(t, text, "TestWorkIsAbandonedWhenTheContextEnds")
			panic(text[:len("a bug")])
		}()
		_ = orEnd(t.Context(), func() error { panic("a bug") })
	})
}
