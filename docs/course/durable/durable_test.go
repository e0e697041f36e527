//go:build course

package durable

import (
	"testing"

	"github.com/chubbycell/chubby/sim/exercise"
)

func TestOneValueThoughPowerIsLost(t *testing.T) {
	exercise.OneValue(t, exercise.Rules{Adopt: adopt, Vote: vote})
}
