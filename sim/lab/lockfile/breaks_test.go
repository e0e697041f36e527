package lockfile_test

import (
	"testing"

	"github.com/chubbycell/chubby/sim/lab/labtest"
	"github.com/chubbycell/chubby/sim/lab/lockfile"
)

func TestBreaks(t *testing.T) { labtest.Breaks(t, lockfile.System()) }
