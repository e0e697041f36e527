package swarm

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/lab"
)

// Outage is a system of which so many servers lose power for good.
type Outage struct {
	System  string               `json:"system"`
	Servers int                  `json:"servers"`
	Failed  int                  `json:"failed"`
	On      *experiment.Share    `json:"goes_on"`         // seeds in which clients got the lock a minute later and after; null here and below: nothing runs
	Gap     *experiment.Estimate `json:"without_grant_s"` // from the outage to the next grant, median; null also where there is none
	Longest float64              `json:"longest_without_grant_s"`
	Lost    *experiment.Share    `json:"lost_without_fence"`
	Why     string               `json:"why,omitempty"` // nothing runs
}

// Surviving is what is seen of one run of an outage.
type Surviving struct {
	On   bool          // a client got the lock a minute after the outage, or later
	Gap  time.Duration // from the outage to the next grant; 0: there was none
	Lost int           // updates
}

// Servers is how many a system has by default.
func Servers(s *lab.System) (n int, err error) {
	b := &lab.Break{ID: "servers", Script: func(b *lab.Bench) {
		n = len(b.Services())
		b.Client("A", lab.Job{})
	}}
	_, err = lab.Run(b, lab.Variant{Guard: noGuard.Guard, Build: s.Default}, 1)
	return n, err
}

// RunOutage has the clients of the swarm take turns without other faults, while failed servers, which
// are drawn, lose power for good. Equal arguments see the same. The error is a panic of a model.
func RunOutage(s *lab.System, failed int, seed uint64) (x Surviving, err error) {
	var at time.Duration
	down := Fault{Name: "outage", begin: func(s *storm) {
		all := s.Services()
		for len(all) > failed {
			i := s.draw.Int(len(all))
			all = slices.Delete(all, i, i+1)
		}
		at = s.draw.Duration(20*time.Second, 40*time.Second)
		for _, name := range all {
			s.At(at, func() { s.Crash(name, -1) })
		}
	}}
	b := &lab.Break{ID: down.Name, Length: length, Script: func(b *lab.Bench) {
		w := &storm{Bench: b, until: map[string]time.Duration{}}
		w.script(down)
	}}
	o, err := lab.Run(b, lab.Variant{Name: noGuard.Name, Guard: noGuard.Guard, Build: s.Default}, seed)
	if err != nil {
		return x, err
	}
	for _, h := range o.Holds {
		if h.From > at && x.Gap == 0 {
			x.Gap = h.From - at
		}
		x.On = x.On || h.From >= at+time.Minute
	}
	for i := range o.Writes {
		if o.Writes[i].Lost {
			x.Lost++
		}
	}
	return x, nil
}

// OutageOf adds up what was seen of several seeds.
func OutageOf(s *lab.System, servers, failed int, seen []Surviving) Outage {
	on, lost, longest := 0, 0, 0.0
	gaps := make([][]time.Duration, len(seen))
	for i := range seen {
		if seen[i].On {
			on++
			gaps[i] = append(gaps[i], seen[i].Gap)
			longest = max(longest, seen[i].Gap.Seconds())
		}
		if seen[i].Lost > 0 {
			lost++
		}
	}
	goes, loses := experiment.ShareOf(on, len(seen)), experiment.ShareOf(lost, len(seen))
	o := Outage{System: s.Name, Servers: servers, Failed: failed, On: &goes, Longest: longest, Lost: &loses}
	if on > 0 {
		gap := experiment.Quantile(gaps, 50)
		o.Gap = &gap
	}
	return o
}

// NoOutage is the row of a system in which no server can fail.
func NoOutage(s *lab.System) Outage {
	return Outage{System: s.Name, Servers: 1, Why: clusterGap}
}
