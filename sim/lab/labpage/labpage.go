// Package labpage is test support: a break of the lab as a page for a browser (sim/page). It has a
// lane for each machine, the messages between them, a bar where a client acts as a holder, and a
// band for each fault of the script.
package labpage

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/describe"
	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/page"
)

// Write writes the page of one variant of a break: that with this index in all, which are the
// findings of lab.Check for the same seed. It plays the variant again. command runs it again for
// a reader. Equal arguments give equal bytes.
func Write(w io.Writer, s *lab.System, b *lab.Break, all []lab.Finding, index int, seed uint64, command string) error {
	v := append(slices.Clone(b.Faulty), b.Repaired...)[index]
	r := page.NewRecorder()
	o, err := lab.Watch(b, v, seed, sim.Trace{W: r, Describe: describe.Message})
	if err != nil {
		return err
	}
	names := map[sim.Addr]string{0: "script"}
	addrs := map[string]sim.Addr{}
	for a, name := range o.Machines {
		names[a], addrs[name] = name, a
	}
	scene := page.Scene{
		Title: fmt.Sprintf("%s %s, %s, %s", s.Name, b.ID, v.Name, v.Guard), Verdict: o.String(), Command: command, Machines: names,
		Facts:  []string{b.Title + " " + b.Mark, fmt.Sprintf("seed %d", seed), fmt.Sprintf("%.1f s simulated", o.Length.Seconds()), "hash " + o.Hash},
		Story:  lab.Tell(s, b, all, index),
		Faults: faults(&o, addrs), Harm: harm(&o, addrs),
	}
	for _, h := range o.Holds {
		text := "acts as a holder"
		if h.Token > 0 {
			text += fmt.Sprintf(", token %d", h.Token)
		}
		scene.Locks = append(scene.Locks, page.Span{Who: addrs[h.Client], From: h.From, To: h.To, Text: text})
	}
	return r.WriteScene(w, scene)
}

func faults(o *lab.Outcome, addrs map[string]sim.Addr) (all []page.Span) {
	for _, f := range o.Faults {
		all = append(all, page.Span{Who: addrs[f.Who], From: f.From, To: f.To, Text: f.Text})
	}
	return all
}

// harm is the worst that was done: an update that is lost, else a stale write that was taken, else
// the first instant with two holders.
func harm(o *lab.Outcome, addrs map[string]sim.Addr) *page.Span {
	found := func(at time.Duration, who, format string, args ...any) *page.Span {
		return &page.Span{Who: addrs[who], From: at, To: at, Text: fmt.Sprintf(format, args...)}
	}
	for i := range o.Writes {
		if w := &o.Writes[i]; w.Lost {
			return found(w.At, lab.Resource, "%s's write of %d is taken, and lost in the end", w.Client, w.Value)
		}
	}
	for i := range o.Writes {
		if w := &o.Writes[i]; w.Stale {
			return found(w.At, lab.Resource, "%s's write of %d is taken, and a later holder has begun", w.Client, w.Value)
		}
	}
	if len(o.Overlaps) > 0 {
		x := &o.Overlaps[0]
		return found(x.From, x.Second, "%s and %s act as holders at once", x.First, x.Second)
	}
	return nil
}
