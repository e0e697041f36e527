package torture

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The files of a run stay if they may still tell something: where a property broke, a search gave up,
// or no call was answered.
func TestTheDirectoryStaysWhereThereIsSomethingToLookAt(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx        context.Context
		operations int64
		undecided  int
		broken     bool
		verdict    string
		stays      bool
	}{
		"clean":       {t.Context(), 9, 0, false, Clean, false},
		"no answer":   {t.Context(), 0, 0, false, Clean, true},
		"undecided":   {t.Context(), 9, 1, false, Undecided, true},
		"broken":      {t.Context(), 9, 1, true, Broken, true},
		"interrupted": {over, 9, 1, false, Interrupted, false},
	} {
		r := &run{cfg: Config{Dir: "here"}, order: &order{}, tally: tally{undecided: c.undecided}}
		if c.broken {
			r.breaks(Violation{Property: "S4"})
		}
		rep := &Report{Operations: c.operations}
		r.finish(c.ctx, rep, time.Now())
		require.Equal(t, c.verdict, rep.Verdict, name)
		require.Equal(t, c.stays, rep.Dir != "", name)
	}
}
