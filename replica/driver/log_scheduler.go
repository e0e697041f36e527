package driver

import (
	"time"

	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/paxos"
)

// LogJob is one job for the log: append Records, then sync if Sync, then report LogDone.
// An idle job (Idle) has neither records nor sync: the log writes its watermark. A job
// with Below drops from the log the records that concern only slots below, and does
// nothing else.
type LogJob struct {
	First   paxos.LSN // number of Records[0]
	Records []paxos.Record
	Sync    bool
	Idle    bool
	Below   paxos.Slot // above 0: drop
}

// logScheduler decides what the log does next.
type logScheduler struct {
	flushAfter, idleAfter time.Duration

	waiting  []paxos.Record // not yet in a job
	nextLSN  paxos.LSN      // number after the last record that the replica made
	since    time.Time      // oldest waiting record
	syncTo   paxos.LSN      // a promise, vote or answer waits for records up to here
	busy     bool           // a job is under way
	syncing  bool           // it syncs
	written  paxos.LSN      // in jobs up to here
	durable  paxos.LSN      // synced up to here
	lastSync time.Time
	marked   bool       // the watermark of the last sync is written
	below    paxos.Slot // to be dropped from the log; 0: nothing
}

// maxLazy is how many records may wait for a job that syncs anyway.
const maxLazy = 256

func (l *logScheduler) add(now time.Time, first paxos.LSN, records []paxos.Record, syncTo paxos.LSN) {
	if len(records) > 0 {
		if len(l.waiting) == 0 {
			l.since, l.waiting = now, records
		} else {
			l.waiting = append(l.waiting, records...)
		}
		l.nextLSN = first + paxos.LSN(len(records))
	}
	l.syncTo = max(l.syncTo, syncTo)
}

// nextJob returns the next job, or nil.
func (l *logScheduler) nextJob(now time.Time) *LogJob {
	if l.busy {
		return nil
	}
	sync := l.syncTo > l.durable
	lazy := len(l.waiting) >= maxLazy || len(l.waiting) > 0 && !now.Before(l.since.Add(l.flushAfter))
	switch {
	case l.below > 0:
		j := &LogJob{Below: l.below}
		l.busy, l.below = true, 0
		return j
	case sync || lazy:
		j := &LogJob{First: l.nextLSN - paxos.LSN(len(l.waiting)), Records: l.waiting, Sync: sync}
		l.waiting = nil
		l.written = l.nextLSN - 1
		l.busy, l.syncing = true, sync
		return j
	case !l.marked && l.durable > 0 && !now.Before(l.lastSync.Add(l.idleAfter)):
		l.busy, l.marked = true, true
		return &LogJob{Idle: true}
	}
	return nil
}

// onDone ends the job under way and returns up to where the log is durable now.
func (l *logScheduler) onDone(now time.Time) paxos.LSN {
	l.busy = false
	if l.syncing {
		l.syncing = false
		l.durable = l.written
		l.lastSync, l.marked = now, false
	}
	return l.durable
}

// wake is when nextJob may return a job without a further input.
func (l *logScheduler) wake() time.Time {
	if l.busy {
		return time.Time{}
	}
	var due time.Time
	if len(l.waiting) > 0 {
		due = l.since.Add(l.flushAfter)
	}
	if !l.marked && l.durable > 0 {
		due = instant.Earliest(due, l.lastSync.Add(l.idleAfter))
	}
	return due
}
