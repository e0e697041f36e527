package replica

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A failure that repeats is logged ever more rarely; a different failure, and a success, at once.
func TestTroubleIsToldOnceAndThenRarely(t *testing.T) {
	var x trouble
	told := func(err error) string { is, row := x.note(err); return fmt.Sprint(is, " ", row) }
	full, rotten := errors.New("write a: disk full"), errors.New("read b: rotten")
	require.Equal(t, "false 0", told(nil))
	var got []string
	for range 9 {
		got = append(got, told(full))
	}
	require.Equal(t, []string{"true 1", "true 2", "false 3", "true 4", "false 5", "false 6", "false 7", "true 8", "false 9"}, got)
	require.Equal(t, "write a: disk full", x.reason())
	require.Equal(t, "true 10", told(rotten))
	require.Equal(t, "true 10", told(nil))
	require.Empty(t, x.reason())
	require.Equal(t, "true 1", told(full))
}

// Each attempt has a file name of its own; another number in the name is no news.
func TestTroubleIsTheSameWithOtherNumbers(t *testing.T) {
	var x trouble
	told := 0
	for n := range 1000 {
		if isNews, _ := x.note(fmt.Errorf("write snapshots/%d.%d.tmp: disk full", 7, n)); isNews {
			told++
		}
	}
	require.Equal(t, 10, told, "the 1st, 2nd, 4th and so on to the 512th")
	require.Equal(t, "write snapshots/7.999.tmp: disk full", x.reason())
}

func TestAnErrorIsOneLine(t *testing.T) {
	full := errors.New("no space")
	require.Equal(t, "write a: no space", oneLine(fmt.Errorf("write a: %w", errors.Join(full, full))))
	require.Equal(t, "write a: no space; too bad", oneLine(fmt.Errorf("write a: %w", errors.Join(full, errors.New("too bad")))))
}
