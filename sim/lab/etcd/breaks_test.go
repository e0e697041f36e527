package etcd_test

import (
	"testing"

	"github.com/chubbycell/chubby/sim/lab/etcd"
	"github.com/chubbycell/chubby/sim/lab/labtest"
)

func TestBreaks(t *testing.T) { labtest.Breaks(t, etcd.System()) }
