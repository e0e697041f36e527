package refused

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// A stranger that has another cause each time, such as the name of another cell, does not fill the log; nor do strangers
// with many addresses.
func TestRefusalsAreBounded(t *testing.T) {
	var l Log
	now := time.Unix(1000, 0)
	flood := func(calls int, host func(int) string) (told int) {
		for i := range calls {
			isNews, n, text := l.Note(host(i), fmt.Sprint("cause ", i), now)
			require.LessOrEqual(t, len(l.count), mostCauses+1)
			require.Contains(t, text, fmt.Sprint("cause ", i))
			if isNews {
				told++
			}
			if i >= mostCauses {
				require.Greater(t, n, 1)
				require.Contains(t, text, "counted together")
			}
		}
		return told
	}
	require.Equal(t, mostOfHost+14, flood(mostOfHost+1<<13, func(int) string { return "a" }), "each power of two of the rest is news")

	isNews, n, text := l.Note("b", "no certificate", now)
	require.True(t, isNews, "another host has room")
	require.Equal(t, 1, n)
	require.Equal(t, "no certificate", text)

	require.Less(t, flood(1<<13, func(i int) string { return fmt.Sprint("host ", i) }), mostCauses+20)
	isNews, n, text = l.Note("b", "no certificate", now)
	require.True(t, isNews, "it is known still")
	require.Equal(t, 2, n)
	require.Equal(t, "no certificate", text)

	now = now.Add(again)
	isNews, n, text = l.Note("c", "no certificate", now)
	require.True(t, isNews, "the others have not come for long")
	require.Equal(t, 1, n)
	require.Equal(t, "no certificate", text)
	l.Forget("a")
	require.Len(t, l.count, 1)
	l.Forget("c")
	require.Empty(t, l.count)
}

// One that comes twice a second for an hour is told of some times at first, and then each ten minutes.
func TestACauseIsToldOfAgain(t *testing.T) {
	var l Log
	now, told := time.Unix(1000, 0), []int{}
	for range 2 * 3600 {
		if isNews, n, _ := l.Note("host", "cause", now); isNews {
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
