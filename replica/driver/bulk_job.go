package driver

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
)

// BulkJob is one of the structs of this file: a piece of work for the bulk lane,
// which does one at a time, beside the log lane. Each is reported by BulkDone
// with the result that belongs to it.
type BulkJob interface{ bulkJob() }

// WriteJob: write these rows as a snapshot, make it durable, and remove those
// that are too old. Rows is a view, so applying goes on meanwhile.
type WriteJob struct {
	Handle paxos.Handle
	Rows   db.View
}

// ReadJob: read a piece of up to Bytes for the peer that asked.
type ReadJob struct {
	To    paxos.NodeID
	Ask   Ask
	Bytes int
}

// PutJob: take in a piece of a snapshot from a peer. A piece at offset 0 begins a
// transfer; the last one ends it: publish the snapshot and load its rows.
type PutJob struct{ Piece Piece }

// DropJob: give up the transfer under way.
type DropJob struct{}

func (WriteJob) bulkJob() {}
func (ReadJob) bulkJob()  {}
func (PutJob) bulkJob()   {}
func (DropJob) bulkJob()  {}

// BulkResult is one of the structs below.
type BulkResult interface{ bulkResult() }

// WriteDone: the snapshot is durable, unless Err says why not; then nothing has
// changed.
type WriteDone struct {
	Floor paxos.Slot // the log need not hold what concerns only slots below; 0: it must hold all
	Err   error
}

// ReadDone: the piece, or no data where there is no such snapshot.
type ReadDone struct {
	To    paxos.NodeID
	Ask   Ask
	Piece Piece
}

// PutDone: the next piece begins at Next; or the transfer has ended well, and
// Rows are those of ID; or it has failed, and is given up.
type PutDone struct {
	ID    SnapshotID
	Next  int64
	Rows  *db.DB // not nil: installed
	Floor paxos.Slot
	Err   error
}

// DropDone: nothing is left of a transfer.
type DropDone struct{}

func (WriteDone) bulkResult() {}
func (ReadDone) bulkResult()  {}
func (PutDone) bulkResult()   {}
func (DropDone) bulkResult()  {}
