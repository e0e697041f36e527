package linearizability

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func fileAgreement(tells bool, paths ...string) *agreement[FileState, FileInput, FileOutput] {
	return &agreement[FileState, FileInput, FileOutput]{
		model: File(), start: newToyTree(), change: mutateFile,
		draw: func(p pick) *History[FileInput, FileOutput] {
			return simulateFiles(p, 1+p(4), 5+p(8), tells, paths...)
		},
	}
}

func TestFileCheckersAgree(t *testing.T) {
	fileAgreement(true, "/d", "/d/x").run(t, 1200)
	fileAgreement(true, "/", "/a", "/a/m", "/a/x").run(t, 1200)
	fileAgreement(true, "/a", "/a", "/b").run(t, 600)
}

// If the witness does not report the results of operations of unknown outcome, the check may
// refuse a correct order, but it accepts no wrong one.
func TestFileCheckersAgreeWithoutBeingTold(t *testing.T) {
	a := fileAgreement(false, "/d", "/d/x")
	for seed := range uint64(600) {
		p := splitMix(seed)
		h := a.draw(p)
		require.True(t, a.agree(t, seed, h, false))
		a.agree(t, seed, mutate(p, h, a.change), false)
	}
}
