package runner

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// script returns a Runner whose n-th run writes the n-th text as its trace and its hash.
func script(texts ...string) Runner {
	var runs atomic.Int32
	return func(o plan.Options) cell.Result {
		text := texts[int(runs.Add(1)-1)%len(texts)]
		if o.Trace.W != nil {
			fmt.Fprint(o.Trace.W, text)
		}
		return cell.Result{Seed: o.Seed, Hash: text}
	}
}

func TestEqualRunsAreTheSame(t *testing.T) {
	v := Verify(script("a\nb\n"), plan.Options{Seed: 7})
	require.Equal(t, Verification{Seed: 7, First: "a\nb\n", Second: "a\nb\n"}, v)
	require.True(t, v.Same())
}

func TestTheFirstLineThatDiffersIsNamed(t *testing.T) {
	v := Verify(script("a\nb\nc\n", "a\nB\nc\n"), plan.Options{})
	require.False(t, v.Same())
	require.Equal(t, 2, v.Parted.Line)
	require.ElementsMatch(t, []string{"b", "B"}, []string{v.Parted.First, v.Parted.Second})
}

func TestATraceThatEndsEarlyDiffers(t *testing.T) {
	v := Verify(script("a\nb\n", "a\n"), plan.Options{})
	require.Equal(t, 2, v.Parted.Line)
	require.ElementsMatch(t, []string{"b", "(the trace ends here)"}, []string{v.Parted.First, v.Parted.Second})
}

func TestTracesMayHideWhatDiffers(t *testing.T) {
	v := Verify(script("first", "second", "same\n"), plan.Options{})
	require.False(t, v.Same())
	v = Verify(script("x\n", "y\n", "z\n", "z\n"), plan.Options{})
	require.False(t, v.Same())
	require.Nil(t, v.Parted)
}

// A trace may be longer than a pipe or a buffer, and the comparison stops reading at the first
// difference. Neither may make the runs hang.
func TestLongTracesDoNotHang(t *testing.T) {
	long := strings.Repeat("the same line\n", 50_000)
	v := Verify(script(long+"end\n", long+"END\n"), plan.Options{})
	require.Equal(t, 50_001, v.Parted.Line)
	v = Verify(script("x\n"+long, "y\n"+long), plan.Options{})
	require.Equal(t, 1, v.Parted.Line)
}

func TestVerifyOfARealSeed(t *testing.T) {
	v := Verify(cell.Run, plan.Options{Seed: 3, Duration: 2e9})
	require.True(t, v.Same(), "%+v", v)
}

// A panic leaves no hash, and two empty hashes are equal.
func TestAPanicOfTheSimulatorIsNoEqualHistory(t *testing.T) {
	v := Verify(func(plan.Options) cell.Result { panic("a checker's bug") }, plan.Options{Seed: 8})
	require.False(t, v.Same())
	require.Contains(t, v.Internal, "a checker's bug")
	require.NotEmpty(t, v.Stack)
	require.Nil(t, v.Parted)
}
