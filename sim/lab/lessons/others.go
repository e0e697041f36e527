package lessons

import (
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

// The machines beside the lock service and the resource.
const (
	bank     = "bank"
	accounts = "accounts"
	pages    = "pages"
)

// orders are what lessons pay for.
var orders = []string{"order-1", "order-2", "order-3"}

// patience is how long programs wait for the answer of another machine before they ask again.
const patience = time.Second

// bank puts a bank into the world. "pay ORDER" pays; "pay ORDER KEY" pays once for each key, and
// answers the same when it comes again.
func (s *scene) bank() {
	s.Node(bank, sim.MachineConfig{}, func(n *lab.Node) {
		keys := map[string]bool{}
		n.Serve(func(r lab.Request) {
			f := strings.Fields(r.Text)
			if len(f) > 2 && keys[f[2]] {
				n.Note("knows %s already, and pays nothing", f[2])
			} else {
				if len(f) > 2 {
					keys[f[2]] = true
				}
				s.counts["paid "+f[1]]++
				n.Note("pays %s for %s", f[1], r.From)
			}
			n.Answer(r, "paid")
		})
	})
}

// accounts puts accounts into the world that add by themselves. "add 1" adds one; "add 1 KEY" adds one
// once for each key.
func (s *scene) accounts() {
	s.Node(accounts, sim.MachineConfig{}, func(n *lab.Node) {
		keys := map[string]bool{}
		n.Serve(func(r lab.Request) {
			f := strings.Fields(r.Text)
			if len(f) > 2 && keys[f[2]] {
				s.counts["again"]++
			} else {
				amount, err := strconv.Atoi(f[1])
				if err != nil {
					panic("no amount: " + r.Text)
				}
				s.counts["sum"] += amount
				if len(f) > 2 {
					keys[f[2]] = true
				}
			}
			n.Answer(r, "added")
		})
	})
}

// pages puts a store of pages into the world: "have PAGE", "store PAGE".
func (s *scene) pages() {
	s.Node(pages, sim.MachineConfig{}, func(n *lab.Node) {
		have := map[string]bool{}
		n.Serve(func(r lab.Request) {
			verb, page, _ := strings.Cut(r.Text, " ")
			if verb == "store" {
				s.counts["rendered"]++
				if have[page] {
					s.counts["for nothing"]++
					n.Note("has %s already; what %s rendered is the same", page, r.From)
				}
				have[page] = true
			}
			n.Answer(r, strconv.FormatBool(have[page]))
		})
	})
}

// ask asks another machine until it answers.
func ask(a *lab.App, machine, text string) string {
	for {
		if answer, ok := a.Call(machine, text, patience); ok {
			return answer
		}
	}
}
