package plan

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// CallPlan shapes what client programs do.
type CallPlan struct {
	Threads  int           // programs on each client machine
	Think    time.Duration // longest pause between two calls of a program
	Patience time.Duration // a call is given up after this
	Groups   int           // groups of rows
	Keys     int           // rows in a group
	Hot      uint64        // percent of calls on the one contended row
	Value    int           // longest value, bytes
	Grace    time.Duration // the longest grace period of clients
	Delay    time.Duration // half the longest lock-delay
	Narrow   bool          // masters have low limits: see narrow
	Slim     bool          // half of the clients allow few calls at a time
	Share    uint64        // how many of four programs in a storm use the handle of another program
	Weights  [6]uint32     // of get, put, delete, compare-and-set, list, increment
}

func (p *Plan) calls(at func(string) *draw.Stream) {
	p.Calls = CallPlan{
		Threads:  int(at("calls.threads").Between(1, 4)),
		Patience: at("calls.patience").Duration(200*time.Millisecond, 8*time.Second),
		Groups:   int(at("calls.groups").Between(1, 6)),
		Keys:     int(at("calls.keys").Between(1, 12)),
		Hot:      uint64(at("calls.hot").Between(25, 60)),
		Value:    int(at("calls.value").LogUniform(1, 4096)),
		Grace:    time.Duration(at("calls.grace").LogUniform(int64(4*time.Second), int64(45*time.Second))),
		Delay:    at("calls.delay").Duration(0, 2*time.Second),
	}
	// About 1,500 calls in the safety phase, whatever the number of programs.
	programs := time.Duration(p.Clients * p.Calls.Threads)
	p.Calls.Think = 2 * p.Duration * programs / 1500
	w := at("calls.weights")
	for i := range p.Calls.Weights {
		p.Calls.Weights[i] = uint32(w.Between(1, 8))
		if w.Chance(1, 4) {
			p.Calls.Weights[i] = 0
		}
	}
	p.Calls.Slim = !p.Plain && at("slim").Chance(1, 3)
	p.Calls.Weights[0]++ // at least some calls read
	p.Calls.Weights[1]++ // at least some calls write
}

// storm draws how many programs wait for the lock, on how many clients.
func (p *Plan) storm(asked bool, clients int, at func(string) *draw.Stream) {
	d := at("storm")
	waiters := int(d.LogUniform(16, mostInSwarm))
	p.Calls.Share = uint64(at("storm.share").Int(4))
	if asked { // all wait at the master, no program behind another one of its client
		p.Calls.Share = 0
		waiters = int(d.LogUniform(100, mostInStorm))
	}
	if clients == 0 {
		p.Clients = max(p.Clients, (waiters+MostAtOnce-1)/MostAtOnce)
	}
	p.Calls.Threads = min(MostAtOnce, (waiters+p.Clients-1)/p.Clients)
	p.Calls.Think = d.Duration(time.Millisecond, 50*time.Millisecond)
	p.Calls.Patience = d.Duration(5*time.Second, 20*time.Second)
}

// The most waiters of a storm: few if the seed drew the workload, so that runs stay fast; up to a
// thousand if the user named it.
const (
	mostInSwarm = 40
	mostInStorm = 1000
	MostAtOnce  = 25 // on one client: a session has room for at most api.MaxWindow calls
)

// big makes room for large files. With values drawn for small files, replicas would write and fetch
// the same bytes a thousand times.
func (p *Plan) big() {
	p.Calls.Value = LargestFile
	p.Calls.Patience = max(p.Calls.Patience, 2*time.Second)
	p.Driver.SnapshotEvery = max(p.Driver.SnapshotEvery, 100)
	p.Driver.SnapshotBytes = max(p.Driver.SnapshotBytes, 4*LargestFile)
	p.Driver.PieceBytes = max(p.Driver.PieceBytes, 1<<14)
	p.Store.ChunkSize = max(p.Store.ChunkSize, 1<<14)
}

// LargestFile is how long a file may be, in bytes (CHU §4.5). It is not taken from the product, so
// that checks are independent of it.
const LargestFile = 256 << 10

// RestFor returns how long a client must do nothing for its session to end as idle. It returns 0 if
// that would take too long, if sessions do not end as idle, or if the programs of the workload
// never close their handles.
func (p *Plan) RestFor() time.Duration {
	s := &p.Driver.Core.Sessions
	rest := s.IdleAfter + 2*s.LeaseMin + time.Second
	if s.IdleAfter == 0 || rest > mostRest || p.Workload == Storm || p.Workload == Churn {
		return 0
	}
	return rest
}

// mostRest bounds a rest, because runs are short.
const mostRest = 12 * time.Second
