package main

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
)

// interruptAt ends a context once it was written to so often.
type interruptAt struct {
	after int
	end   context.CancelFunc
}

func (i *interruptAt) Write(b []byte) (int, error) {
	if i.after--; i.after == 0 {
		i.end()
	}
	return len(b), nil
}

// An interrupt ends the commands of the lab that measure. They print the runs that ended before.
func TestAnInterruptedMeasurementPrintsWhatItHas(t *testing.T) {
	for _, c := range []struct {
		args   []string
		field  string // of the rows
		before int    // runs
		rows   int    // that these runs are of
	}{
		{[]string{"crowd", "setpx", "--waiters", "1,2", "--seeds", "3"}, "crowds", 3, 2},
		{[]string{"crowd", "setpx", "--waiters", "1,2", "--seeds", "3"}, "crowds", 1, 1},
		{[]string{"outage", "redlock", "--seeds", "3"}, "outages", 2, 2},
		{[]string{"load", "etcd", "--clients", "3", "--length", "20s", "--seeds", "3"}, "places", 10, 2},
		{[]string{"load", "etcd", "--clients", "3", "--length", "20s", "--seeds", "3"}, "places", 3, 0},
		{[]string{"matrix", "setpx", "--faults", "none", "--resources", "no-check", "--seeds", "3"}, "costs", 2, 1},
	} {
		for _, form := range []string{"json", "table"} {
			ctx, cancel := context.WithCancel(t.Context())
			w := newWorld()
			w.telling = 0 // each run is told of
			w.pace = time.Second
			w.app.Err = &interruptAt{after: c.before, end: cancel}
			code := w.run(ctx, append([]string{"lab"}, append(c.args, "--jobs", "1", "-o", form)...))
			cancel()
			require.Equal(t, cli.ExitInterrupted, code, "%v %s", c.args, form)
			require.NotEmpty(t, w.out.String(), "%v %s", c.args, form)
			if form != "json" {
				continue
			}
			require.Equal(t, "chubby-lab-"+c.args[0]+"-1", schema.Accept(t, projectAt, w.out.Bytes()))
			var r map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(w.out.Bytes(), &r), "%v: %s", c.args, w.out.String())
			require.JSONEq(t, "130", string(r["exit"]), "%v", c.args)
			require.JSONEq(t, "true", string(r["interrupted"]), "%v", c.args)
			var rows []json.RawMessage
			require.NoError(t, json.Unmarshal(r[c.field], &rows))
			require.NotNil(t, rows, "%v", c.args)
			require.Len(t, rows, c.rows, "%v", c.args)
			var runs int
			require.NoError(t, json.Unmarshal(r["runs"], &runs))
			require.Equal(t, c.before, runs, "%v", c.args)
		}
	}
}
