package postgres_test

import (
	"testing"

	"github.com/chubbycell/chubby/sim/lab/labtest"
	"github.com/chubbycell/chubby/sim/lab/postgres"
)

func TestBreaks(t *testing.T) { labtest.Breaks(t, postgres.System()) }
