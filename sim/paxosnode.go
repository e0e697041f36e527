package sim

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
)

// NewPaxos is a GroupConfig.New: it makes the Multi-Paxos of package paxos a Node. Use it to test a
// state machine, a workload or a fault over a log that is known to work.
func NewPaxos(c NodeConfig) Node {
	cfg := paxos.DefaultConfig()
	cfg.ID, cfg.Seed = paxos.NodeID(c.Self), c.Seed
	cfg.Members = nil
	for _, a := range c.Members {
		cfg.Members = append(cfg.Members, paxos.NodeID(a))
	}
	return &paxosNode{n: paxos.New(cfg, recovered(c.Records), c.Now)}
}

// paxosNode translates between bytes and the types of paxos.Node.
type paxosNode struct{ n *paxos.Node }

// tagSize is the length of the tags of paxos.EncodeRecord.
const tagSize = 20

func encodeRecord(r paxos.Record) []byte {
	kind, tag, data := paxos.EncodeRecord(r)
	b := append([]byte{kind}, tag[:]...)
	return append(b, data...)
}

func decodeRecord(b []byte) (paxos.Record, error) {
	n := min(1+tagSize, len(b))
	if n == 0 {
		return nil, errMalformed
	}
	return paxos.DecodeRecord(b[0], b[1:n], string(b[n:]))
}

func recovered(records [][]byte) paxos.Recovered {
	rec := paxos.Recovered{Next: paxos.LSN(len(records)) + 1}
	for _, b := range records {
		r, err := decodeRecord(b)
		if err != nil {
			panic(err) // the log's checksums were good, so these are the bytes that were written
		}
		switch r := r.(type) {
		case paxos.Booted:
			rec.Boot, rec.Grant = r.Boot, r.Grant
		case paxos.Promised:
			rec.Promise = r.Ballot
		default:
			rec.Records = append(rec.Records, r)
		}
	}
	return rec
}

func (p *paxosNode) Step(now time.Time, from Addr, msg []byte) {
	if m, err := paxos.DecodeMessage(string(msg)); err == nil {
		p.n.Step(now, paxos.NodeID(from), m)
	}
}

func (p *paxosNode) Advance(now time.Time) { p.n.Advance(now) }

func (p *paxosNode) Propose(now time.Time, value string) error {
	return p.n.Propose(now, []byte(value))
}

func (p *paxosNode) Durable(now time.Time, upto uint64) { p.n.Durable(now, paxos.LSN(upto)) }

func (p *paxosNode) TakeOutput() Output {
	in := p.n.TakeOutput()
	out := Output{First: uint64(in.First), SyncTo: uint64(in.SyncTo), Wake: in.Wake}
	for _, r := range in.Append {
		out.Append = append(out.Append, encodeRecord(r))
	}
	for _, e := range in.Send {
		out.Send = append(out.Send, Envelope{Addr(e.To), paxos.AppendMessage(nil, e.Message)})
	}
	for _, e := range in.Chosen {
		c := Chosen{Slot: uint64(e.Slot), Value: string(e.Value), Commands: []string{}}
		for _, text := range e.Value.Commands {
			c.Commands = append(c.Commands, text)
		}
		out.Chosen = append(out.Chosen, c)
		p.n.Applied(e.Slot)
	}
	return out
}

// Votes returns the vote in a record.
func (p *paxosNode) Votes(record []byte) []Vote {
	r, err := decodeRecord(record)
	v, ok := r.(paxos.Voted)
	if err != nil || !ok {
		return nil
	}
	b := Ballot{Round: v.Ballot.Round, Node: Addr(v.Ballot.Node)}
	return []Vote{{Slot: uint64(v.Slot), Ballot: b, Value: string(v.Value)}}
}
