package torture

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// Kind is a kind of fault.
type Kind string

// The kinds of faults.
const (
	Kill        Kind = "kill"        // kill -9 of a replica, or of a majority; started again
	Power       Kind = "power"       // kill -9 of all replicas or a majority at one instant
	Restart     Kind = "restart"     // SIGTERM, and a start
	Pause       Kind = "pause"       // SIGSTOP for longer than the master's lease, and SIGCONT
	Starve      Kind = "starve"      // a replica runs for a few milliseconds now and then, and does not reach the others
	Full        Kind = "full"        // the disk of a replica is full
	Cut         Kind = "cut"         // messages between a replica and the others do not arrive, one way or both
	Unreachable Kind = "unreachable" // messages between a replica and all clients do not arrive, one way or both
	Silence     Kind = "silence"     // a client that holds a lock reaches no replica until its session is over
)

// Kinds are all kinds of faults.
func Kinds() []Kind {
	return []Kind{Kill, Power, Restart, Pause, Starve, Full, Cut, Unreachable, Silence}
}

// Help describes a kind in a few words.
func Help(k Kind) string {
	return map[Kind]string{
		Kill:        "kill -9 of a replica, or of a majority one after the other; they start again",
		Power:       "kill -9 of all replicas, or of a majority, at one instant",
		Restart:     "SIGTERM to a replica, which starts again",
		Pause:       "SIGSTOP of a replica for longer than a master's lease, then SIGCONT",
		Starve:      "a replica gets little processor time, and reaches no other replica",
		Full:        "the disk of a replica is full for a while",
		Cut:         "messages from a replica, to it, or both are held back, and arrive later",
		Unreachable: "messages from clients to a replica, from it, or both are held back; replicas reach each other",
		Silence:     "a client that holds a lock reaches no replica until its session is over",
	}[k]
}

// Who says which replicas a fault is for.
type Who string

// The choices of replicas.
const (
	Master   Who = "master"
	Any      Who = "any"
	Majority Who = "majority"
	All      Who = "all"
)

// Way is the direction in which messages of a replica do not arrive, seen from the replica.
type Way string

// The directions.
const (
	Out  Way = "out"
	In   Way = "in"
	Both Way = "both"
)

// Fault is one fault of a schedule.
type Fault struct {
	Wait time.Duration `json:"wait"` // since the last fault has ended
	For  time.Duration `json:"for"`
	Kind Kind          `json:"kind"`
	Who  Who           `json:"who"`
	Way  Way           `json:"way,omitempty"`
	Pick uint64        `json:"pick"` // chooses among those that it may be for
}

// String is the fault in a few words.
func (f Fault) String() string {
	if f.Who == "" { // there is none
		return string(f.Kind)
	}
	text := fmt.Sprintf("%s %s for %v", f.Kind, f.Who, f.For.Round(time.Millisecond))
	if f.Way != "" {
		text += ", " + string(f.Way)
	}
	return text
}

// masterLease is how long a master may read without the log after its last word to the others:
// core.DefaultConfig says it.
const masterLease = time.Second

// Faults is the part of a schedule that begins with fault number from: a schedule has no end.
// Equal arguments give equal faults. The first faults are one of each kind, for the master
// where there is a choice.
func Faults(seed uint64, kinds []Kind, lease time.Duration, from, n int) []Fault {
	all := make([]Fault, 0, n)
	root := draw.New(seed).Sub("torture", 0)
	first := root.Stream("order", 0)
	order := first.Perm(len(kinds))
	for i := from; i < from+n; i++ {
		s := root.Stream("fault", uint64(i))
		kind := drawKind(&s, kinds)
		if i < len(kinds) {
			kind = kinds[order[i]]
		}
		f := drawFault(&s, kind, lease)
		if i < len(kinds) && f.Who != All && f.Kind != Power {
			f.Who = Master
		}
		all = append(all, f)
	}
	return all
}

// weights say how often a kind comes.
var weights = map[Kind]int{Kill: 8, Power: 3, Restart: 1, Pause: 4, Starve: 3, Full: 2, Cut: 4, Unreachable: 2, Silence: 3}

func drawKind(s *draw.Stream, kinds []Kind) Kind {
	sum := 0
	for _, k := range kinds {
		sum += weights[k]
	}
	at := s.Int(sum)
	for _, k := range kinds {
		if at -= weights[k]; at < 0 {
			return k
		}
	}
	panic("unreachable: the weights are above 0")
}

func drawFault(s *draw.Stream, kind Kind, lease time.Duration) Fault {
	const ms = time.Millisecond
	f := Fault{Kind: kind, Wait: s.Duration(300*ms, 1500*ms), Pick: s.Uint64(), Who: Any}
	if s.Chance(2, 3) {
		f.Who = Master
	}
	switch kind {
	case Kill:
		f.For = s.Duration(0, 2000*ms)
		if s.Chance(1, 6) {
			f.Who = Majority
		}
	case Power:
		f.Who, f.For = All, s.Duration(0, 1000*ms)
		if s.Chance(1, 3) {
			f.Who = Majority
		}
	case Restart:
		f.For = s.Duration(0, 500*ms)
	case Pause:
		f.For = s.Duration(masterLease+500*ms, masterLease+3000*ms)
	case Starve:
		f.Way = []Way{Out, Both}[s.Int(2)]
		f.For = s.Duration(masterLease+500*ms, masterLease+1500*ms)
	case Full:
		f.For = s.Duration(500*ms, 2000*ms)
	case Cut, Unreachable:
		f.Way = []Way{Out, In, Both}[s.Int(3)]
		f.For = s.Duration(500*ms, 4000*ms)
	case Silence:
		f.For = lease + s.Duration(1000*ms, 4000*ms)
	}
	return f
}

// ParseKinds reads names of kinds.
func ParseKinds(names []string) ([]Kind, error) {
	var kinds []Kind
	for _, name := range names {
		k := Kind(name)
		if !slices.Contains(Kinds(), k) {
			return nil, fmt.Errorf("--faults %q: give some of %s, or none", name, kindNames())
		}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
}

func kindNames() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ",")
}
