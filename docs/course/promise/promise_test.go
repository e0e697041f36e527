//go:build course

package promise

import (
	"testing"

	"github.com/chubbycell/chubby/sim/exercise"
)

func TestOneValueThoughPromisesWereGiven(t *testing.T) {
	exercise.OneValue(t, exercise.Rules{Adopt: adopt, Vote: vote})
}
