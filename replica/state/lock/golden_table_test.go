package lock_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// everything is what is tried in every state. Commands are numbered from 10; a number that a state does
// not know is stale.
var everything = []string{
	"A acquire exclusive 5s", "A acquire shared 5s", "B acquire exclusive 0s", "B acquire shared 0s",
	"A release 10", "A release 11", "A release 12", "B release 10",
	"A close", "A end", "A lost", "A dies", "over 12", "over 13", "forget",
}

// TestEveryStateMeetsEveryOperation compares with testdata/states.txt, for each state and each operation,
// the answer, the effects, and the state of the lock afterwards.
func TestEveryStateMeetsEveryOperation(t *testing.T) {
	datadriven.RunTest(t, "testdata/states.txt", func(t *testing.T, d *datadriven.TestData) string {
		require.Equal(t, "state", d.Cmd)
		var out strings.Builder
		for _, line := range everything {
			b := newTable(t)
			for _, before := range strings.Split(d.Input, "\n") {
				if before != "" {
					b.do(t, before)
				}
			}
			if out.Len() == 0 {
				fmt.Fprintf(&out, "%s\n", b.showAll())
			}
			was := b.showAll()
			said, effects := b.do(t, line)
			now := b.showAll()
			if now == was {
				now = "same"
				require.Empty(t, effects, "effects without a change")
			}
			fmt.Fprintf(&out, "%-24s %-12s %s", line, said, now)
			if effects != "" {
				fmt.Fprintf(&out, " | %s", effects)
			}
			out.WriteString("\n")
			b.audit()
		}
		return out.String()
	})
}

// do applies one command, written as in the file. If its fourth word is a path, it is about the other
// lock.
func (b *table) do(t *testing.T, line string) (said, effects string) {
	w := strings.Fields(line)
	at := b.step()
	number := func(i int) uint64 {
		n, err := strconv.ParseUint(w[i], 10, 64)
		require.NoError(t, err, line)
		return n
	}
	var all []lock.Effect
	switch {
	case w[0] == "over":
		ended, all := lock.EndDelay(b.tx, file, api.Number(number(1)))
		return map[bool]string{true: "ended", false: "stale"}[ended], showEffects(all)
	case w[0] == "forget":
		return "done", showEffects(lock.Forget(b.tx, file))
	}
	who, known := owners[w[0]]
	require.True(t, known, line)
	switch w[1] {
	case "acquire":
		mode := map[string]api.Mode{"exclusive": api.Exclusive, "shared": api.Shared}[w[2]]
		wait, err := time.ParseDuration(w[3])
		require.NoError(t, err, line)
		c := lock.Claim{Lock: file, Owner: who, Mode: mode, Delay: api.LockDelay(wait.Milliseconds())}
		if len(w) > 4 {
			c.Lock = other
		}
		g, all := lock.Acquire(b.tx, at, c)
		require.Equal(t, g.Code == api.OK, g.Acquisition != 0 && g.Gen != 0, line)
		if g.Already {
			return "ok already", showEffects(all)
		}
		return g.Code.String(), showEffects(all)
	case "release":
		code, all := lock.Release(b.tx, file, who, api.Acquisition(number(2)))
		return code.String(), showEffects(all)
	case "close":
		all = lock.ReleaseHandle(b.tx, who)
	case "end":
		all = lock.ReleaseSession(b.tx, who.Session)
	case "lost":
		all = lock.FailHandle(b.tx, at, who)
	case "dies":
		all = lock.FailSession(b.tx, at, who.Session)
	default:
		require.Fail(t, "no such operation", line)
	}
	return "done", showEffects(all)
}
