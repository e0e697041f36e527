package lab

import (
	"fmt"

	"github.com/chubbycell/chubby/sim"
)

// Run plays the script of a break with one variant. Equal arguments give equal outcomes. The
// error is a panic of a model or of a script.
func Run(b *Break, v Variant, seed uint64) (Outcome, error) { return Watch(b, v, seed, sim.Trace{}) }

// Watch is Run, and writes a trace, which changes nothing. Lines of the time line are in it as
// lines of the kind "says" about their machines. Describe is asked for messages of Processes alone.
func Watch(b *Break, v Variant, seed uint64, t sim.Trace) (Outcome, error) {
	bench := newBench(v, seed, t)
	defer bench.world.Close()
	b.Script(bench)
	length := b.Length
	if length == 0 {
		length = defaultLength
	}
	if bench.world.Run(length) == sim.Failed {
		return Outcome{}, fmt.Errorf("%s, variant %q, seed %d: %w\n%s", b.ID, v.Name, seed, bench.world.Failure(), bench.world.Failure().Stack)
	}
	o := bench.sees.outcome(bench.world.Now(), bench.world.Hash())
	o.Machines = bench.byAddr
	return o, nil
}

// Finding is what became of one variant.
type Finding struct {
	Variant   string  `json:"variant"`
	Mark      string  `json:"mark,omitempty"`
	Guard     string  `json:"resource"`
	Faulty    bool    `json:"faulty"`              // the harm is expected
	Sometimes bool    `json:"sometimes,omitempty"` // whether it happens depends on the seed
	Happened  bool    `json:"happened"`            // the harm
	Outcome   Outcome `json:"outcome"`
}

// AsClaimed reports that the harm happened where it is expected, and only there.
func (f *Finding) AsClaimed() bool { return f.Sometimes || f.Faulty == f.Happened }

// Check plays all variants of a break, faulty ones first.
func Check(b *Break, seed uint64) ([]Finding, error) {
	var all []Finding
	play := func(v Variant, faulty bool) error {
		o, err := Run(b, v, seed)
		if err == nil {
			all = append(all, Finding{v.Name, v.Mark, v.Resource(), faulty, v.Sometimes, b.Harm.In(&o), o})
		}
		return err
	}
	for _, v := range b.Faulty {
		if err := play(v, true); err != nil {
			return nil, err
		}
	}
	for _, v := range b.Repaired {
		if err := play(v, false); err != nil {
			return nil, err
		}
	}
	return all, nil
}
