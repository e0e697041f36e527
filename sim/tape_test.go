package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Two faults draw by turns from one stream. Each alone, played from its tape, draws what it
// drew then, and then draws of its own.
func TestATapeIsPlayedAlone(t *testing.T) {
	w := New(Config{Seed: 5})
	defer w.Close()
	shared, plain := w.Draw("fault", 1), w.Draw("fault", 1)
	var tapes [2]Tape
	faults := [2]*Draw{shared.Taped(&tapes[0]), shared.Taped(&tapes[1])}
	var drew [2][]int64
	for i := range 20 {
		f := i % 3 % 2
		drew[f] = append(drew[f], faults[f].LogUniform(1, 1000), int64(faults[f].Duration(0, time.Second)))
		require.Equal(t, drew[f][len(drew[f])-2:], []int64{plain.LogUniform(1, 1000), int64(plain.Duration(0, time.Second))}, "a tape changes no draw")
	}
	for f, want := range drew {
		d := w.Draw("fault", 1).Played(tapes[f], w.Draw("more", uint64(f)))
		var got []int64
		for range len(want) / 2 {
			got = append(got, d.LogUniform(1, 1000), int64(d.Duration(0, time.Second)))
		}
		require.Equal(t, want, got)
		require.Equal(t, w.Draw("more", uint64(f)).Uint64(), d.Uint64(), "behind the end")
	}
}
