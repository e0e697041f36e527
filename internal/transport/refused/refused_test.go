package refused

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestRefusalsAreBounded(t *testing.T) {
	var l Log
	now := time.Unix(1000, 0)
	for i := range 3 * mostCauses {
		isNews, n := l.Note("host", fmt.Sprint(i), now)
		require.True(t, isNews)
		require.Equal(t, 1, n)
		require.LessOrEqual(t, len(l.count), mostCauses)
	}
	isNews, n := l.Note("host", fmt.Sprint(3*mostCauses-1), now)
	require.True(t, isNews)
	require.Equal(t, 2, n)
	l.Forget("other")
	require.NotEmpty(t, l.count)
	l.Forget("host")
	require.Empty(t, l.count)
}

// One that comes twice a second for an hour is told of some times at first, and then each ten minutes.
func TestACauseIsToldOfAgain(t *testing.T) {
	var l Log
	now, told := time.Unix(1000, 0), []int{}
	for range 2 * 3600 {
		if isNews, n := l.Note("host", "cause", now); isNews {
			told = append(told, n)
		}
		now = now.Add(500 * time.Millisecond)
	}
	require.Equal(t, []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3248, 4096, 5296, 6496}, told)
}

func TestLongTextsAreCut(t *testing.T) {
	require.Equal(t, "short", Short("short"))
	long := Short(strings.Repeat("ä", 1<<20))
	require.Less(t, len(long), 1100)
	require.True(t, utf8.ValidString(long))
}
