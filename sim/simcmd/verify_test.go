package simcmd

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/sim/cell"
)

func TestVerifyNamesTheFirstEventThatDiffers(t *testing.T) {
	w := newWorld()
	w.result = outcomes["moody"]
	require.Equal(t, cli.ExitDiffers, w.do("sim", "verify", "--seeds", "1", "-o", "json"))
	var v verified
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &v))
	require.Len(t, v.Differences, 1)
	d := v.Differences[0]
	require.NotEqual(t, d.First, d.Second)
	require.Equal(t, 2, d.Parted.Line, "the first line is the same in all runs of the seed")
	require.NotEqual(t, d.Parted.First, d.Parted.Second)

	require.Equal(t, cli.ExitDiffers, w.do("sim", "verify", "--seeds", "1"))
	require.Contains(t, w.out.String(), "D1 broke: seed 1")
	require.Contains(t, w.out.String(), "the traces differ from line 2 on:\n  - hash ")
}

func TestVerifySaysSoWhenItCannotNameTheEvent(t *testing.T) {
	w := newWorld()
	w.result = func(run int, seed uint64) cell.Result {
		r := clean(seed)
		if run == 1 {
			r.Hash = "another"
		}
		return r
	}
	require.Equal(t, cli.ExitDiffers, w.do("sim", "verify", "--seeds", "1"))
	require.Contains(t, w.out.String(), "two more runs gave the same trace")
}

// If two runs of a seed differ, every output form says what differs, and has the command that verifies the seed again.
func TestWhatDiffersIsToldInEachForm(t *testing.T) {
	w := newWorld()
	w.result = outcomes["moody"]
	verify := func(form string) string {
		w.runs = 0
		require.Equal(t, cli.ExitDiffers, w.do("sim", "verify", "--seeds", "2", "--jobs", "1", "--replicas", "5", "-o", form), w.err.String())
		return w.out.String()
	}
	const again = "go run ./cmd/chubby sim verify --seeds 1 --from 2 --replicas 5"
	table := verify("table")
	require.Contains(t, table, "\n\nD1 broke: seed 2 gave hash 0000000000000005, then 0000000000000006\n  the traces differ from line 2 on:\n  - hash 000000000000000")
	require.True(t, strings.HasSuffix(table, "\n  at commit c0ffee:\n  "+again+"\n"), table)

	var v verified
	text := verify("json")
	require.Equal(t, verifySchema, schema.Accept(t, projectAt, []byte(text)))
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	require.Equal(t, again, v.Differences[1].Reproduce)
	require.Equal(t, "c0ffee", v.Differences[1].Commit)

	var j cli.JUnit
	require.NoError(t, xml.Unmarshal([]byte(verify("junit")), &j))
	require.Equal(t, []int{2, 2, 0, 2}, []int{j.Tests, j.Failures, j.Errors, len(j.Cases)})
	require.Equal(t, "seed 2", j.Cases[1].Name)
	fault := j.Cases[1].Failure
	require.Equal(t, "D1", fault.Type)
	require.Equal(t, "D1 broke: seed 2 gave hash 0000000000000005, then 0000000000000006", fault.Message)
	require.True(t, strings.HasSuffix(fault.Text, "\nat commit c0ffee:\n"+again), fault.Text)
}

// In JUnit, a panic of the simulator is an error, not a failure. An interrupt fails the case of the run.
func TestJUnitOfAVerificationWithoutAVerdict(t *testing.T) {
	w := newWorld()
	w.result = outcomes["panic"]
	require.Equal(t, cli.ExitInternal, w.do("sim", "verify", "--seeds", "1", "-o", "junit"))
	var j cli.JUnit
	require.NoError(t, xml.Unmarshal(w.out.Bytes(), &j))
	require.Equal(t, []int{1, 0, 1}, []int{j.Tests, j.Failures, j.Errors})
	require.Equal(t, "internal", j.Cases[0].Error.Type)
	require.Contains(t, j.Cases[0].Error.Message, "a bug of the simulator")

	w = newWorld()
	w.result = func(_ int, seed uint64) cell.Result {
		if seed == 2 {
			w.stop()
		}
		return clean(seed)
	}
	require.Equal(t, cli.ExitInterrupted, w.do("sim", "verify", "--seeds", "9", "--jobs", "1", "-o", "junit"))
	j = cli.JUnit{}
	require.NoError(t, xml.Unmarshal(w.out.Bytes(), &j))
	require.Equal(t, []int{3, 1, 0}, []int{j.Tests, j.Failures, j.Errors})
	require.Equal(t, "exit code 130: interrupted, 2 seeds were verified", j.Cases[2].Failure.Message)
}
