package rowlock_test

import (
	"testing"

	"github.com/chubbycell/chubby/sim/lab/labtest"
	"github.com/chubbycell/chubby/sim/lab/rowlock"
)

func TestBreaks(t *testing.T) { labtest.Breaks(t, rowlock.System()) }
