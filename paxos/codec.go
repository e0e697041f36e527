package paxos

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/chubbycell/chubby/internal/versions"
)

// Wire format of a message: one version byte, one kind byte, then the fields in
// the order of the struct. Numbers are unsigned varints; a ballot is its round
// and node; a value, and a list, is behind its length. The golden bytes in
// codec_test.go pin it. Message and record kinds are never reused.
//
// OldestWireVersion to NewestWireVersion are the versions that this program knows. It makes messages of the newest one
// and reads all of them. Two replicas talk in the highest version that both know: see TranslateMessage.
const (
	OldestWireVersion byte = 2
	NewestWireVersion byte = 2
)

var wireVersions = versions.Range{Oldest: OldestWireVersion, Newest: NewestWireVersion}

const (
	kindPrepare = iota + 1
	kindPromise
	kindAccept
	kindAccepted
	kindNack
	kindChosen
	kindHeartbeat
	kindHeartbeatReply
	kindFetch
	kindFetchReply
	kindLeaseRejection
	kindReleased
)

// ErrMalformed is in the chain of every decoding error: the bytes are not a message of this
// version. The receiver counts and drops them.
var ErrMalformed = errors.New("paxos: malformed message")

// AppendMessage appends the encoding of m, in the newest version, to dst.
func AppendMessage(dst []byte, m Message) []byte { return appendMessage(dst, NewestWireVersion, m) }

// TranslateMessage returns the bytes of a message, of any version that this program knows, in another one. It does not
// write to wire, and returns wire itself if that has the version already. The error is that of DecodeMessage, or
// ErrMalformed for a version that this program does not know.
func TranslateMessage(wire []byte, to byte) ([]byte, error) {
	switch {
	case len(wire) > 0 && wire[0] == to:
		return wire, nil
	case !wireVersions.Has(to):
		return nil, fmt.Errorf("%w: version %d, this program speaks %v", ErrMalformed, to, wireVersions)
	}
	m, err := DecodeMessage(string(wire))
	if err != nil {
		return nil, err
	}
	return appendMessage(nil, to, m), nil
}

func appendMessage(dst []byte, version byte, m Message) []byte {
	w := writer{append(dst, version, 0)}
	kind := len(dst) + 1
	switch m := m.(type) {
	case Prepare:
		w.b[kind] = kindPrepare
		w.question(m.Ballot, m.Boot)
		w.num(uint64(m.From))
	case Promise:
		w.b[kind] = kindPromise
		w.question(m.Ballot, m.Boot)
		w.slots(m.Page)
		w.num(uint64(len(m.Votes)))
		for i := range m.Votes {
			w.vote(&m.Votes[i])
		}
		w.num(uint64(m.FirstOpen))
	case Accept:
		w.b[kind] = kindAccept
		w.question(m.Ballot, m.Boot)
		w.num(uint64(m.Slot))
		w.text(string(m.Value))
	case Accepted:
		w.b[kind] = kindAccepted
		w.question(m.Ballot, m.Boot)
		w.num(uint64(m.Slot))
	case Nack:
		w.b[kind] = kindNack
		w.question(m.Ballot, m.Boot)
		w.num(uint64(m.Slot))
		w.ballot(m.Promised)
	case LeaseRejection:
		w.b[kind] = kindLeaseRejection
		w.question(m.Ballot, m.Boot)
		w.num(uint64(m.Slot))
		w.num(uint64(m.Left))
	case Chosen:
		w.b[kind] = kindChosen
		w.ballot(m.Ballot)
		w.slots(m.Slots)
	case Heartbeat:
		w.b[kind] = kindHeartbeat
		w.question(m.Ballot, m.Boot)
		w.num(m.Seq)
		w.num(uint64(m.FirstOpen))
		w.num(uint64(m.Lease.Grant))
		w.num(uint64(m.Lease.Rho))
	case HeartbeatReply:
		w.b[kind] = kindHeartbeatReply
		w.question(m.Ballot, m.Boot)
		w.num(m.Seq)
		w.num(uint64(m.FirstOpen))
		w.bit(m.Granted)
	case Released:
		w.b[kind] = kindReleased
		w.question(m.Ballot, m.Boot)
	case Fetch:
		w.b[kind] = kindFetch
		w.slots(m.Slots)
	case FetchReply:
		w.b[kind] = kindFetchReply
		w.num(uint64(m.From))
		w.num(uint64(len(m.Values)))
		for _, v := range m.Values {
			w.text(string(v))
		}
		w.num(uint64(m.FirstOpen))
		w.num(uint64(m.Floor))
	default:
		panic(fmt.Sprintf("paxos: message %T has no encoding", m))
	}
	return w.b
}

// DecodeMessage decodes one message, which must be all of b, and checks that a correct node could
// have sent it (Invalid). Values share the memory of b. It allocates at most about 16 bytes for each
// byte of b, whatever b contains.
func DecodeMessage(b string) (Message, error) {
	if len(b) < 2 {
		return nil, fmt.Errorf("%w: %d bytes", ErrMalformed, len(b))
	}
	if !wireVersions.Has(b[0]) {
		return nil, fmt.Errorf("%w: version %d, this program speaks %v", ErrMalformed, b[0], wireVersions)
	}
	r := reader{b: b[2:]}
	m := r.message(b[1])
	switch {
	case m == nil:
		return nil, fmt.Errorf("%w: unknown kind %d", ErrMalformed, b[1])
	case r.bad:
		return nil, fmt.Errorf("%w: %T cut short or out of range", ErrMalformed, m)
	case len(r.b) > 0:
		return nil, fmt.Errorf("%w: %T with %d bytes too many", ErrMalformed, m, len(r.b))
	}
	if why := Invalid(m); why != "" {
		return nil, fmt.Errorf("%w: %T: %s", ErrMalformed, m, why)
	}
	return m, nil
}

func (r *reader) message(kind byte) Message {
	switch kind {
	case kindPrepare:
		return Prepare{Ballot: r.ballot(), Boot: r.boot(), From: r.slot()}
	case kindPromise:
		m := Promise{Ballot: r.ballot(), Boot: r.boot(), Page: r.slots()}
		if n := r.count(4); n > 0 {
			m.Votes = make([]Vote, n)
			for i := range m.Votes {
				m.Votes[i] = r.vote()
			}
		}
		m.FirstOpen = r.slot()
		return m
	case kindAccept:
		return Accept{Ballot: r.ballot(), Boot: r.boot(), Slot: r.slot(), Value: Value(r.text())}
	case kindAccepted:
		return Accepted{Ballot: r.ballot(), Boot: r.boot(), Slot: r.slot()}
	case kindNack:
		return Nack{Ballot: r.ballot(), Boot: r.boot(), Slot: r.slot(), Promised: r.ballot()}
	case kindChosen:
		return Chosen{Ballot: r.ballot(), Slots: r.slots()}
	case kindLeaseRejection:
		return LeaseRejection{Ballot: r.ballot(), Boot: r.boot(), Slot: r.slot(), Left: r.duration()}
	case kindHeartbeat:
		return Heartbeat{Ballot: r.ballot(), Boot: r.boot(), Seq: r.num(), FirstOpen: r.slot(), Lease: r.lease()}
	case kindHeartbeatReply:
		return HeartbeatReply{Ballot: r.ballot(), Boot: r.boot(), Seq: r.num(), FirstOpen: r.slot(), Granted: r.bit()}
	case kindReleased:
		return Released{Ballot: r.ballot(), Boot: r.boot()}
	case kindFetch:
		return Fetch{Slots: r.slots()}
	case kindFetchReply:
		m := FetchReply{From: r.slot()}
		if n := r.count(1); n > 0 {
			m.Values = make([]Value, n)
			for i := range m.Values {
				m.Values[i] = Value(r.text())
			}
		}
		m.FirstOpen, m.Floor = r.slot(), r.slot()
		return m
	}
	return nil
}

// writer appends fields.
type writer struct{ b []byte }

func (w *writer) num(x uint64) { w.b = binary.AppendUvarint(w.b, x) }

func (w *writer) ballot(b Ballot) {
	w.num(b.Round)
	w.num(uint64(b.Node))
}

func (w *writer) question(b Ballot, boot Boot) {
	w.ballot(b)
	w.num(uint64(boot))
}

// slots writes the open end as 0: MaxSlot would take ten bytes a page.
func (w *writer) slots(r Range) {
	w.num(uint64(r.From))
	if r.To == MaxSlot {
		w.num(0)
	} else {
		w.num(uint64(r.To))
	}
}

func (w *writer) text(s string) {
	w.num(uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) bit(x bool) {
	if x {
		w.b = append(w.b, 1)
	} else {
		w.b = append(w.b, 0)
	}
}

func (w *writer) vote(v *Vote) {
	w.num(uint64(v.Slot))
	w.ballot(v.Ballot)
	w.bit(v.Lost)
	if !v.Lost {
		w.text(string(v.Value))
	}
}

// reader takes fields off the front; after a fault bad is set and every field
// is zero.
type reader struct {
	b   string
	bad bool
}

func (r *reader) num() uint64 {
	x, n := uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, ""
		return 0
	}
	r.b = r.b[n:]
	return x
}

func (r *reader) slot() Slot { return Slot(r.num()) }
func (r *reader) boot() Boot { return Boot(r.num()) }

func (r *reader) ballot() Ballot {
	round, node := r.num(), r.num()
	if node > 1<<32-1 {
		r.bad = true
	}
	return Ballot{Round: round, Node: NodeID(node)}
}

func (r *reader) slots() Range {
	from, to := r.slot(), r.slot()
	if to == 0 {
		to = MaxSlot
	}
	return Range{From: from, To: to}
}

func (r *reader) text() string {
	n := r.num()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, ""
		return ""
	}
	s := r.b[:n]
	r.b = r.b[n:]
	return s
}

// count reads the length of a list whose items take at least size bytes each.
func (r *reader) count(size int) int {
	n := r.num()
	if n > uint64(len(r.b)/size) {
		r.bad, r.b = true, ""
		return 0
	}
	return int(n)
}

func (r *reader) bit() bool {
	x := r.num()
	if x > 1 {
		r.bad = true
	}
	return x == 1
}

func (r *reader) duration() time.Duration {
	x := r.num()
	if x > math.MaxInt64 {
		r.bad = true
	}
	return time.Duration(x)
}

func (r *reader) lease() Lease {
	return Lease{Grant: r.duration(), Rho: PPM(r.duration())}
}

func (r *reader) vote() Vote {
	v := Vote{Slot: r.slot(), Ballot: r.ballot()}
	if v.Lost = r.bit(); !v.Lost {
		v.Value = Value(r.text())
	}
	return v
}
