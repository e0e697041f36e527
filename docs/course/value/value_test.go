//go:build course

package value

import (
	"testing"

	"github.com/chubbycell/chubby/sim/exercise"
)

func TestOneValueThoughVotesWereCast(t *testing.T) {
	exercise.OneValue(t, exercise.Rules{Adopt: adopt, Vote: vote})
}
