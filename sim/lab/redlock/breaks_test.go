package redlock_test

import (
	"testing"

	"github.com/chubbycell/chubby/sim/lab/labtest"
	"github.com/chubbycell/chubby/sim/lab/redlock"
)

func TestBreaks(t *testing.T) { labtest.Breaks(t, redlock.System()) }
