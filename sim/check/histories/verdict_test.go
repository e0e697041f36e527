package histories

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/linearizability"
)

// The calls after a wrong one are those on its own key that were answered and began when it had ended, up to one that
// reads, and two at most.
func TestCallsAfterAWrongOneAreOnItsKey(t *testing.T) {
	cas := linearizability.KVInput{Op: linearizability.OpCAS, Key: "g0/hot", Expect: "a/g0/k", Value: "b"}
	put := func(key string) linearizability.KVInput {
		return linearizability.KVInput{Op: linearizability.OpPut, Key: key, Value: "c"}
	}
	get := func(key string) linearizability.KVInput {
		return linearizability.KVInput{Op: linearizability.OpGet, Key: key}
	}
	for name, c := range map[string]struct {
		later []linearizability.KVInput
		want  []string
	}{
		"none":           {nil, nil},
		"another key":    {[]linearizability.KVInput{get("g0/k"), put("g0/hotter")}, nil},
		"up to a read":   {[]linearizability.KVInput{get("g0/k"), get("g0/hot"), put("g0/hot")}, []string{"get g0/hot"}},
		"a write before": {[]linearizability.KVInput{put("g0/hot"), get("g0/hot")}, []string{"put g0/hot", "get g0/hot"}},
		"two at most":    {[]linearizability.KVInput{put("g0/hot"), cas, get("g0/hot")}, []string{"put g0/hot", "cas g0/hot"}},
	} {
		t.Run(name, func(t *testing.T) {
			all := []linearizability.KVInput{cas, get("g0/hot")} // the second begins before the first has ended
			all = append(all, c.later...)
			ops := make([]linearizability.Operation[linearizability.KVInput, linearizability.KVOutput], len(all))
			for i, in := range all {
				ops[i] = linearizability.Operation[linearizability.KVInput, linearizability.KVOutput]{
					ID: int64(i + 1), Client: int64(i + 1), Call: int64(10 * (i + 1)), Return: int64(10*(i+1) + 5),
					Outcome: linearizability.OutcomeOK, Input: in, Output: linearizability.KVOutput{OK: true},
				}
			}
			ops[0].Return = 21
			h, err := linearizability.NewHistory(ops)
			require.NoError(t, err)
			text := after(linearizability.KV(), h, &linearizability.WitnessResult{Violation: &linearizability.Violation{Op: 0, Other: -1}})
			lines := strings.Split(text, "\n")[1:] // each begins a line
			require.Len(t, lines, len(c.want), text)
			for i, want := range c.want {
				require.Regexp(t, `^after it: client \d+: `+want+" ", lines[i])
			}
		})
	}
}
