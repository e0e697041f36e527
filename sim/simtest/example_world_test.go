package simtest_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/faults"
	"github.com/chubbycell/chubby/sim/simtest"
)

// replica is a primary-backup protocol. The first replica, the primary, sends numbers. The second, the backup, writes
// each number to its disk and acknowledges it. A careless backup acknowledges a number before it is on its disk.
type replica struct {
	sim.Outbox
	sim.NodeConfig
	careless bool
	n        int
	acked    *int // the largest acknowledged number that the primary has received
}

func (r *replica) Advance(now time.Time) {
	r.Send([]byte(strconv.Itoa(r.n+1)), r.Members[1])
	r.WakeAt(now.Add(5 * time.Millisecond))
}

func (r *replica) Step(_ time.Time, from sim.Addr, msg []byte) {
	n, _ := strconv.Atoi(string(msg))
	number := []byte(strconv.Itoa(n))
	switch {
	case from == r.Members[1]: // the backup acknowledges n
		r.n, *r.acked = max(r.n, n), max(*r.acked, n)
	case r.careless:
		r.Send(number, from)
		fallthrough
	default:
		r.n = max(r.n, n)
		r.Record(number, number, from) // the acknowledgment is sent once the record is durable
	}
}

// primaryBackup returns the scenario of a seed. Its property: after a restart the backup knows every acknowledged number.
func primaryBackup(careless bool) func(seed uint64) sim.Scenario {
	return func(seed uint64) sim.Scenario {
		acked := 0
		return sim.Scenario{Faults: faults.Swarm(seed), Safety: 5 * time.Second, Setup: func(w *sim.World) {
			sim.NewGroup(w, sim.GroupConfig{Replicas: 2, Disk: sim.DiskConfig{Sync: sim.Table{time.Millisecond, 3 * time.Millisecond}}, New: func(c sim.NodeConfig) sim.Node {
				r := &replica{Outbox: sim.NewOutbox(c), NodeConfig: c, careless: careless, acked: &acked}
				for _, record := range c.Records {
					n, _ := strconv.Atoi(string(record))
					r.n = max(r.n, n)
				}
				if c.Self == c.Members[1] && r.n < acked {
					w.Break("PB1", "the backup knows of number %d, and %d was acknowledged", r.n, acked)
				}
				if c.Self == c.Members[0] { // only the primary needs to be woken
					r.WakeAt(c.Now)
				}
				return r
			}})
		}}
	}
}

func TestPrimaryBackup(t *testing.T) { simtest.World{Scenario: primaryBackup(false)}.Run(t) }

func TestACarelessBackupIsCaught(t *testing.T) {
	simtest.World{Scenario: primaryBackup(true)}.Expect(t, "PB1")
}

func TestPrimaryBackupIsDeterministic(t *testing.T) {
	simtest.World{Scenario: primaryBackup(false), Seeds: 3}.Verify(t)
}
