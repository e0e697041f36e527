package paxos

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Config configures one node. Members and Lease must be the same at all members of a cell; other
// differences only cost time.
type Config struct {
	ID      NodeID   // this node, one of Members
	Members []NodeID // the voters, in any order, without repeats

	// Seed keys the node's random draws: election timeouts and back-off.
	// Nodes of a cell need different draws; ID is part of the key.
	Seed uint64

	Window           int // maximum number of slots proposed and not yet known to be chosen
	MaxBatchCommands int // maximum number of commands in one slot
	MaxBatchBytes    int // bytes of commands in one slot; one larger command still fits alone
	MaxPending       int // maximum number of commands waiting for a slot; beyond: ErrBusy
	MaxCommand       int // maximum bytes of one command; beyond: ErrTooLarge
	PageVotes        int // maximum number of votes in one Promise
	FetchSlots       int // maximum number of slots in one FetchReply
	PageBytes        int // bytes of values in one Promise or FetchReply; one larger value still goes alone
	MaxAhead         int // slots above the first open one for which a node keeps votes; at least Window, better a multiple of it

	// Lease allows a leader to read without the log; equal at all members.
	Lease Lease

	Heartbeat   time.Duration // interval between a leader's heartbeats
	ElectionMin time.Duration // a follower that hears of no leader campaigns after
	ElectionMax time.Duration // a time drawn from [ElectionMin, ElectionMax]
	Retransmit  time.Duration // the first repetition of an unanswered message comes after this; later waits double
}

// DefaultConfig returns a configuration for three to seven machines in one building. The caller
// sets ID, Members and Seed, and a Lease if the leader should read without the log.
func DefaultConfig() Config {
	return Config{
		Window:           64,
		MaxBatchCommands: 256,
		MaxBatchBytes:    1 << 20,
		MaxPending:       4096,
		MaxCommand:       1 << 20,
		PageVotes:        256,
		FetchSlots:       256,
		PageBytes:        1 << 20,
		MaxAhead:         1 << 20,
		Heartbeat:        100 * time.Millisecond,
		ElectionMin:      500 * time.Millisecond,
		ElectionMax:      time.Second,
		Retransmit:       50 * time.Millisecond,
	}
}

// MaxMembers is how many members a cell may have: the size of the bit set in which a Tally counts.
const MaxMembers = 64

// Validate returns all errors of the configuration, joined, or nil.
func (c *Config) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf("paxos config: "+format, args...))
		}
	}
	sorted := slices.Sorted(slices.Values(c.Members))
	fault(len(sorted) == 0, "no members")
	fault(len(sorted) > MaxMembers, "%d members; at most %d", len(sorted), MaxMembers)
	fault(len(slices.Compact(slices.Clone(sorted))) != len(sorted), "members %v repeat an id", c.Members)
	fault(slices.Contains(sorted, 0), "member id 0")
	fault(!slices.Contains(sorted, c.ID), "node %d is not one of the members %v", c.ID, c.Members)
	for _, n := range []struct {
		name  string
		value int
	}{
		{"Window", c.Window}, {"MaxBatchCommands", c.MaxBatchCommands}, {"MaxBatchBytes", c.MaxBatchBytes},
		{"MaxPending", c.MaxPending}, {"MaxCommand", c.MaxCommand}, {"PageVotes", c.PageVotes},
		{"FetchSlots", c.FetchSlots}, {"PageBytes", c.PageBytes}, {"MaxAhead", c.MaxAhead},
	} {
		fault(n.value < 1, "%s is %d; at least 1", n.name, n.value)
	}
	fault(c.MaxAhead < c.Window, "MaxAhead %d is below Window %d: a leader would ignore its own proposals", c.MaxAhead, c.Window)
	fault(c.Heartbeat <= 0, "Heartbeat is %v; above 0", c.Heartbeat)
	fault(c.Retransmit <= 0, "Retransmit is %v; above 0", c.Retransmit)
	fault(c.ElectionMin <= c.Heartbeat, "ElectionMin %v does not exceed Heartbeat %v: a follower would campaign between two heartbeats", c.ElectionMin, c.Heartbeat)
	fault(c.Lease.fault() != "", "%s", c.Lease.fault())
	fault(c.Lease.fault() == "" && c.Lease.isEnabled() && c.Lease.Term() <= c.Heartbeat,
		"Lease.Grant %v gives a term of %v at %d ppm, which ends before the next heartbeat, after %v, can renew it",
		c.Lease.Grant, c.Lease.Term(), c.Lease.Rho, c.Heartbeat)
	fault(c.ElectionMax < c.ElectionMin, "ElectionMax %v is below ElectionMin %v", c.ElectionMax, c.ElectionMin)
	return errors.Join(faults...)
}
