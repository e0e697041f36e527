package swarm

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/lab"
)

// Crowd is a system with so many clients that wait for each release, without faults.
type Crowd struct {
	System   string              `json:"system"`
	Waiters  int                 `json:"waiters"`
	Moved    experiment.Estimate `json:"moved_a_release"` // waiters that woke or polled, of each release (lab.Wake)
	Messages experiment.Estimate `json:"messages_a_lock"` // between clients and the service, waiting included
	HandOff  experiment.Estimate `json:"hand_off_s"`      // from a release to the next holder, median
}

// Crowding is what is seen of one run of a crowd.
type Crowding struct {
	Releases, Moved uint64 // with all of the clients waiting but the one that released
	Holds, Messages uint64
	HandOffs        []time.Duration
}

// MaxWaiters is how many waiters a crowd has at most.
const MaxWaiters = 200

// RunCrowd has waiters and one more client take turns for two minutes: work of 1 s under the lock, half a
// second without it. Equal arguments see the same. The error is a panic of a model.
func RunCrowd(s *lab.System, waiters int, seed uint64) (Crowding, error) {
	b := &lab.Break{ID: "crowd", Length: 2 * time.Minute, Script: func(b *lab.Bench) {
		draw := b.World().Draw("lab.crowd", 0)
		for i := range waiters + 1 {
			b.Client(fmt.Sprintf("client-%d", i+1), lab.Job{
				Start: draw.Duration(0, time.Second), Work: time.Second, Rest: 500 * time.Millisecond, Times: 1000, Careless: true,
			})
		}
	}}
	o, err := lab.Run(b, lab.Variant{Name: noGuard.Name, Guard: noGuard.Guard, Build: s.Default}, seed)
	if err != nil {
		return Crowding{}, err
	}
	c := Crowding{Holds: uint64(len(o.Holds)), Messages: o.Messages}
	for _, w := range o.Wakes {
		if w.Waiting == waiters {
			c.Releases++
			c.Moved += uint64(w.Moved)
		}
	}
	var x Seen
	x.handOffs(&o)
	c.HandOffs = x.HandOffs
	return c, nil
}

// CrowdOf adds up what was seen of several seeds.
func CrowdOf(s *lab.System, waiters int, seen []Crowding) Crowd {
	var releases, moved, holds, messages []uint64
	var handOffs [][]time.Duration
	for i := range seen {
		c := &seen[i]
		releases, moved = append(releases, c.Releases), append(moved, c.Moved)
		holds, messages = append(holds, c.Holds), append(messages, c.Messages)
		handOffs = append(handOffs, c.HandOffs)
	}
	return Crowd{
		System: s.Name, Waiters: waiters, Moved: experiment.Ratio(moved, releases), Messages: experiment.Ratio(messages, holds),
		HandOff: experiment.Quantile(handOffs, 50),
	}
}
