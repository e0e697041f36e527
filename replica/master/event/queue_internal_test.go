package event

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
)

// One pass over the queue leaves what one pass for each node would.
func TestAllNodesAreReplacedAsEachAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		kinds := []api.EventKind{api.EventContents, api.EventReadAgain, api.EventInvalid, api.EventDrop}
		for i := range rapid.IntRange(0, 30).Draw(t, "events") {
			q.events = append(q.events, api.Event{
				Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Node: api.Ref{Instance: api.Instance(rapid.Uint64Range(1, 4).Draw(t, "node"))}, Cause: api.Number(i + 1),
			})
		}
		q.sent = rapid.IntRange(0, len(q.events)).Draw(t, "sent")
		want := queue{sent: q.sent, events: slices.Clone(q.events)}
		for _, e := range q.events[q.sent:] {
			if mayBeReplaced(e) && !slices.Contains(want.events[want.sent:], api.Event{Kind: api.EventReadAgain, Node: e.Node, Cause: 99}) {
				want.replace(e.Node, 99)
			}
		}
		q.replaceAll(99)
		require.Equal(t, want.events, q.events)
	})
}
