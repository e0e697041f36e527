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
	Grace    time.Duration // clients wait at most so long to hear that their session is alive
	Delay    time.Duration // half the longest lock-delay
	Narrow   bool          // masters take little at a time
	Slim     bool          // so do half of the clients
	Share    uint64        // of four programs in a storm, how many use a handle that another one opened
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
	p.Calls.Weights[0]++ // something reads
	p.Calls.Weights[1]++ // something writes
}

// storm draws how many wait, on how many clients.
func (p *Plan) storm(asked bool, clients int, at func(string) *draw.Stream) {
	d := at("storm")
	waiters := int(d.LogUniform(16, mostInSwarm))
	p.Calls.Share = uint64(at("storm.share").Int(4))
	if asked { // all wait at the master, none behind another program of its client
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

// Waiters of a storm: in the swarm few, to keep its pace; where it was asked for by
// name as many as a thousand.
const (
	mostInSwarm = 40
	mostInStorm = 1000
	MostAtOnce  = 25 // on one client: a session has room for no more calls than api.MaxWindow
)

// big leaves room for them: what is drawn for small values would write and fetch
// the same bytes a thousand times.
func (p *Plan) big() {
	p.Calls.Value = LargestFile
	p.Calls.Patience = max(p.Calls.Patience, 2*time.Second)
	p.Driver.SnapshotEvery = max(p.Driver.SnapshotEvery, 100)
	p.Driver.SnapshotBytes = max(p.Driver.SnapshotBytes, 4*LargestFile)
	p.Driver.PieceBytes = max(p.Driver.PieceBytes, 1<<14)
	p.Store.ChunkSize = max(p.Store.ChunkSize, 1<<14)
}

// largest is how long a file may be (CHU §4.5), whatever the product takes it for.
const LargestFile = 256 << 10

// RestFor is how long a client does nothing whose session is to end as idle; 0: that
// would take too long, or sessions do not, or its programs never let go of what they have.
func (p *Plan) RestFor() time.Duration {
	s := &p.Driver.Core.Sessions
	rest := s.IdleAfter + 2*s.LeaseMin + time.Second
	if s.IdleAfter == 0 || rest > mostRest || p.Workload == Storm || p.Workload == Churn {
		return 0
	}
	return rest
}

// mostRest bounds a rest: runs are short.
const mostRest = 12 * time.Second
