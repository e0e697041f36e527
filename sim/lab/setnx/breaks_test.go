package setnx_test

import (
	"testing"

	"github.com/chubbycell/chubby/sim/lab/labtest"
	"github.com/chubbycell/chubby/sim/lab/setnx"
)

func TestBreaks(t *testing.T) { labtest.Breaks(t, setnx.System()) }
