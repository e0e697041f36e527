package linearizability

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func lockAgreement(tells bool) *agreement[LockState, LockInput, LockOutput] {
	return &agreement[LockState, LockInput, LockOutput]{
		model: Lock(), start: newToyLocks(), change: mutateLock,
		draw: func(p pick) *History[LockInput, LockOutput] { return simulateLocks(p, 1+p(4), 5+p(9), tells) },
	}
}

func TestLockCheckersAgree(t *testing.T) { lockAgreement(true).run(t, 3000) }

// See TestFileCheckersAgreeWithoutBeingTold in file_test.go.
func TestLockCheckersAgreeWithoutBeingTold(t *testing.T) {
	a := lockAgreement(false)
	for seed := range uint64(1000) {
		p := splitMix(seed)
		h := a.draw(p)
		require.True(t, a.agree(t, seed, h, false))
		a.agree(t, seed, mutate(p, h, a.change), false)
	}
}
