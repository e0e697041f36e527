package chubby_test

import (
	"testing"

	"github.com/chubbycell/chubby/sim/lab/chubby"
	"github.com/chubbycell/chubby/sim/lab/labtest"
)

func TestBreaks(t *testing.T) { labtest.Breaks(t, chubby.System()) }
