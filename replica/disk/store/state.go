package store

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/wal"
)

// state is the value of the register.
type state struct {
	boot      paxos.Boot
	grant     time.Duration // of the latest Booted: the longest of all lives so far
	promise   paxos.Ballot
	watermark wal.LSN // of the log, when this was written
	// floor: the log may lack what concerned only slots below. A snapshot of
	// floor-1 or above was durable before this was written.
	floor paxos.Slot
	// first: the log has every record from this one on. A log that begins later was cut
	// after this was written, so a later register was lost.
	first wal.LSN
}

const (
	stateVersion = 4
	stateSize    = 56
)

func (s state) encode() []byte {
	b := binary.LittleEndian.AppendUint16(make([]byte, 0, stateSize), stateVersion)
	b = append(b, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.boot))
	b = binary.LittleEndian.AppendUint64(b, s.promise.Round)
	b = binary.LittleEndian.AppendUint32(b, uint32(s.promise.Node))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.watermark))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.floor))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.first))
	return binary.LittleEndian.AppendUint64(b, uint64(s.grant))
}

// decodeState reads what encode made. The register's checksums held.
func decodeState(b []byte) (state, error) {
	if len(b) >= 2 && binary.LittleEndian.Uint16(b) != stateVersion {
		return state{}, fmt.Errorf("store: promise register: %w %d; this program knows %d",
			wal.ErrVersion, binary.LittleEndian.Uint16(b), stateVersion)
	}
	if len(b) != stateSize {
		return state{}, fmt.Errorf("store: promise register: %w: %d bytes", ErrRecord, len(b))
	}
	return state{
		boot:      paxos.Boot(binary.LittleEndian.Uint64(b[4:])),
		promise:   paxos.Ballot{Round: binary.LittleEndian.Uint64(b[12:]), Node: paxos.NodeID(binary.LittleEndian.Uint32(b[20:]))},
		watermark: wal.LSN(binary.LittleEndian.Uint64(b[24:])),
		floor:     paxos.Slot(binary.LittleEndian.Uint64(b[32:])),
		first:     wal.LSN(binary.LittleEndian.Uint64(b[40:])),
		grant:     time.Duration(binary.LittleEndian.Uint64(b[48:])),
	}, nil
}

// after is the state once the records are written. A boot or promise that falls, or a vote
// above the promise, is a broken invariant of the replica, and must not reach the disk.
func (s state) after(rs []paxos.Record) state {
	for _, r := range rs {
		switch r := r.(type) {
		case paxos.Booted:
			invariant.Check(s.boot < r.Boot, "I-A1", "record of boot %d after boot %d", r.Boot, s.boot)
			invariant.Check(s.grant <= r.Grant, "I-A1", "boot %d forgets a Grant of %v, its own is %v", r.Boot, s.grant, r.Grant)
			s.boot, s.grant = r.Boot, r.Grant
		case paxos.Promised:
			invariant.Check(!r.Ballot.Less(s.promise), "I-A1", "record of promise %v after %v", r.Ballot, s.promise)
			s.promise = r.Ballot
		case paxos.Voted:
			if s.promise.Less(r.Ballot) { // not Check: votes are the load
				invariant.Failf("I-A2", "record of a vote in slot %d at %v above the promise %v", r.Slot, r.Ballot, s.promise)
			}
		}
	}
	return s
}

// checkRecord returns an error if the register is older than a record of its log.
func (s state) checkRecord(r paxos.Record) error {
	switch r := r.(type) {
	case paxos.Booted:
		if s.boot < r.Boot {
			return fmt.Errorf("store: %w: boot %d in the log, %d in the register", ErrForgot, r.Boot, s.boot)
		}
	case paxos.Promised:
		return s.checkBallot(r.Ballot)
	case paxos.Voted:
		return s.checkBallot(r.Ballot)
	case paxos.Unreadable:
		return s.checkBallot(r.Ballot)
	}
	return nil
}

func (s state) checkBallot(b paxos.Ballot) error {
	if s.promise.Less(b) {
		return fmt.Errorf("store: %w: ballot %v in the log, promise %v in the register", ErrForgot, b, s.promise)
	}
	return nil
}
