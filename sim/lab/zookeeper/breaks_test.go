package zookeeper_test

import (
	"testing"

	"github.com/chubbycell/chubby/sim/lab/labtest"
	"github.com/chubbycell/chubby/sim/lab/zookeeper"
)

func TestBreaks(t *testing.T) { labtest.Breaks(t, zookeeper.System()) }
