package driver

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
)

// BulkJob is one of the structs of this file: work on snapshots, one job at a time, beside
// the log job. The end of each is reported by BulkDone with its result.
type BulkJob interface{ bulkJob() }

// WriteJob: write these rows as a snapshot, make it durable, and remove those
// that are too old. Rows is a view, so applying goes on meanwhile.
type WriteJob struct {
	Handle paxos.Handle
	Rows   db.View
	logged int64 // bytes of log up to these rows, in this life
	// records is the number of the newest record when the rows were taken. The records up to it say
	// which values were chosen in the slots up to Handle.Slot. They must be durable before the
	// snapshot is: otherwise a restart would know the rows after these slots and not the slots.
	// Nothing but the snapshot could help a laggard that lacks them, and the snapshot may rot.
	records paxos.LSN
}

// ReadJob: read a piece of up to Bytes for the peer that asked.
type ReadJob struct {
	To    paxos.NodeID
	Ask   Ask
	Bytes int
}

// PutJob: write a piece of a snapshot from a peer. A piece at offset 0 begins a
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

// WriteDone: the snapshot is durable, or Err says why not and nothing has changed.
type WriteDone struct {
	Floor paxos.Slot // the log need not hold what concerns only slots below; 0: it must hold all
	Err   error
}

// ReadDone: the piece, or no data if there is no such snapshot.
type ReadDone struct {
	To    paxos.NodeID
	Ask   Ask
	Piece Piece
}

// PutDone: the next piece begins at Next; or the snapshot ID is complete, with its Rows;
// or the transfer has failed and is given up.
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
