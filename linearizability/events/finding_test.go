package events

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// findingCase is a list of events and its expected findings.
type findingCase[E any] struct {
	name   string
	events []E
	kinds  []FindingKind
	stands [][]int // the events of each finding
}

func requireFindings[E any](t *testing.T, check func([]E) []Finding, cases []findingCase[E]) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var kinds []FindingKind
			var stands [][]int
			for _, f := range check(c.events) {
				kinds, stands = append(kinds, f.Kind), append(stands, f.Events)
				require.NotEmpty(t, f.Text)
			}
			require.Equal(t, c.kinds, kinds)
			require.Equal(t, c.stands, stands)
		})
	}
}

func TestFindingsHaveWords(t *testing.T) {
	for k := Unfounded; k <= LostMiddle; k++ {
		require.NotContains(t, k.String(), "value")
	}
	text, err := json.Marshal(Finding{LostUpdate, []int{1, 2}, "gone"})
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"lost update","events":[1,2],"text":"gone"}`, string(text))
}
