package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Answers of several clients come in any order; the end of the measurement ends the last gap.
func TestTheLongestGapIsThatOfAllClients(t *testing.T) {
	begin := time.Unix(100, 0)
	var g gaps
	g.begin(begin)
	require.Zero(t, g.longest())
	for _, ms := range []int{30, 20, 50, 90, 70} {
		g.note(begin.Add(time.Duration(ms) * time.Millisecond))
	}
	require.Equal(t, 40*time.Millisecond, g.longest())
	g.note(begin.Add(time.Second))
	require.Equal(t, 910*time.Millisecond, g.longest())
}
