package consul_test

import (
	"testing"

	"github.com/chubbycell/chubby/sim/lab/consul"
	"github.com/chubbycell/chubby/sim/lab/labtest"
)

func TestBreaks(t *testing.T) { labtest.Breaks(t, consul.System()) }
