package experiment

import (
	"errors"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// CellColumns returns the columns by which runs of the cell are compared, for the values of
// Measure.
func CellColumns() []Column {
	return []Column{
		{Name: "seeds with a violation", Of: "violation", Form: PerCent, Always: true},
		{Name: "call p50", Of: "latency", Percent: 50, Form: Seconds},
		{Name: "call p90", Of: "latency", Percent: 90, Form: Seconds},
		{Name: "call p99", Of: "latency", Percent: 99, Form: Seconds},
		{Name: "outcome unknown", Of: "unknown", Form: PerCent},
		{Name: "fail-overs", Of: "failovers"},
		{Name: "fail-over p50", Of: "failover", Percent: 50, Form: Seconds},
		{Name: "fail-over p90", Of: "failover", Percent: 90, Form: Seconds},
		{Name: "first answer p50", Of: "first", Percent: 50, Form: Seconds},
		{Name: "calls/s", Of: "calls"},
		{Name: "messages/s", Of: "messages"},
		{Name: "events/s", Of: "events"},
	}
}

// Measure runs a seed of the cell with run, and returns the values for CellColumns. It blocks for
// as long as the run takes. All times are true time of the simulation:
//
//	violation  1 if something broke, else 0
//	latency    of each call on rows and files that had an answer: as long as its program waited, in
//	           seconds
//	unknown    share of calls that ended with their outcome unknown
//	failovers  how many there were
//	failover   of each: from the last answer of a master to a call of a client (KeepAlives are
//	           none) to the first answer of a later epoch, in seconds
//	first      of each client machine: how long its first answer after healing took, in seconds
//	calls, messages, events
//	           answered calls; messages between replicas, requests that reach them and replies;
//	           steps of the simulator: a second of simulated time
func Measure(run func(plan.Options) cell.Result, o plan.Options) Sample {
	var m meter
	listen := o.Listen
	o.Listen = func(now time.Duration, e event.Event) {
		m.onEvent(now, e)
		if listen != nil {
			listen(now, e)
		}
	}
	r := run(o)
	s := Sample{Seed: r.Seed, Broke: r.Broke(), Values: map[string][]float64{
		"violation": {0}, "failover": m.gaps, "failovers": {float64(len(m.gaps))}, "latency": m.latencies,
	}}
	if r.Breach != nil {
		s.Values["violation"], s.Text = []float64{1}, r.Breach.Text
	}
	if calls := r.Ops + r.Unknown; calls > 0 {
		s.Values["unknown"] = []float64{float64(r.Unknown) / float64(calls)}
	}
	for _, d := range r.FirstAnswers {
		s.Values["first"] = append(s.Values["first"], d.Seconds())
	}
	if t := r.Simulated.Seconds(); t > 0 {
		s.Values["calls"] = []float64{float64(r.Ops) / t}
		s.Values["messages"] = []float64{float64(m.messages) / t}
		s.Values["events"] = []float64{float64(r.Events) / t}
	}
	return s
}

// meter counts messages, and times fail-overs.
type meter struct {
	messages int
	epoch    api.Epoch     // of the latest answer
	last     time.Duration // when it was given
	gaps     []float64     // of fail-overs, in seconds

	latencies []float64 // of calls, in seconds
}

func (m *meter) onEvent(now time.Duration, e event.Event) {
	switch e := e.(type) {
	case event.CallEnded:
		if e.Took >= 0 && (e.Err == nil || errors.Is(e.Err, client.ErrNotFound) || errors.Is(e.Err, client.ErrConflict)) {
			m.latencies = append(m.latencies, e.Took.Seconds())
		}
	case event.MessageSent, event.RequestReceived:
		m.messages++
	case event.ReplySent:
		m.messages++
		if e.Reply.Code == api.OK && e.Reply.Seq > 0 && e.Reply.Epoch >= m.epoch {
			if m.epoch > 0 && e.Reply.Epoch > m.epoch {
				m.gaps = append(m.gaps, (now - m.last).Seconds())
			}
			m.epoch, m.last = e.Reply.Epoch, now
		}
	}
}
