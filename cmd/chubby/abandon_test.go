package main

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWorkIsAbandonedWhenTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	begun, never := make(chan struct{}), make(chan struct{})
	go func() { <-begun; cancel() }()
	err := orEnd(ctx, func() error { close(begun); <-never; return nil })
	close(never)
	var f *failure
	require.ErrorAs(t, err, &f)
	require.Equal(t, exitInterrupted, f.code)

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
