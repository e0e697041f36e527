package setpx_test

import (
	"testing"

	"github.com/chubbycell/chubby/sim/lab/labtest"
	"github.com/chubbycell/chubby/sim/lab/setpx"
)

func TestBreaks(t *testing.T) { labtest.Breaks(t, setpx.System()) }
