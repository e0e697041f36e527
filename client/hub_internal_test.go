package client

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Of each cell the last state of the session remains, and the last fail-over: neither takes the
// place of the other, and no cell that of another.
func TestTheLastOfEachCellRemains(t *testing.T) {
	of := func(cell string, k EventKind, missed int) Event { return Event{Cell: cell, Kind: k, Missed: missed} }
	require.Equal(t, []Event{
		of("b", EventExpired, 2),
		of("a", EventSafe, 2),
		of("a", EventFailover, 0),
	}, lastOfEachCell([]Event{
		of("a", EventFailover, 0),
		of("a", EventJeopardy, 0),
		of("b", EventExpired, 0),
		of("a", EventFailover, 1),
		of("a", EventSafe, 0),
		of("a", EventFailover, 0),
	}))
}
