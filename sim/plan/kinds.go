package plan

import (
	"slices"

	"github.com/chubbycell/chubby/sim/scenario"
)

// FaultInfo describes a kind of fault, for lists.
type FaultInfo struct{ Name, Help string }

// FaultKinds are all built-in kinds, in the order of reports and of draws.
var FaultKinds = []FaultInfo{
	{"crash", "a replica loses power; its disk keeps a seeded choice of unsynced writes"},
	{"crash-leader", "the leader loses power"},
	{"crash-midstep", "a replica loses power in its next disk call of a drawn kind"},
	{"crash-mending", "a replica loses power between the two copies of a register; or it is killed there, and loses power while its next life repairs the copies"},
	{"crash-all", "all replicas lose power within a moment"},
	{"kill", "a replica's process is killed; the disk keeps what it wrote"},
	{"depose", "the leader is told to step down, a few times in a row"},
	{"duel", "replicas campaign against a leader, a few times in a row"},
	{"rebirth", "a candidate loses power before its promise is on disk, and campaigns at the same ballot again while the first answers are on their way"},
	{"pause", "a replica is paused; its clock goes on"},
	{"pause-leader", "the leader is paused"},
	{"pause-midstep", "a replica is paused between reading its clock and acting"},
	{"slow-node", "a replica needs a long time for each input"},
	{"partition", "the replicas fall into two or three groups"},
	{"isolate-leader", "the leader is cut off from replicas, or from all"},
	{"bridge", "two halves reach each other through one replica only"},
	{"one-way", "some links lose all messages, in one direction"},
	{"clog", "some links hold back all messages, in one direction, and deliver them later"},
	{"clog-tenure", "messages between some replicas and the leader are held back until a replica begins to lead"},
	{"succession", "one replica leads, loses the lead and leads again, with another leader in between"},
	{"slow-link", "some links are slower by an order of magnitude or two"},
	{"noise", "all links lose, duplicate and reorder messages, with long delays"},
	{"disk-slow", "a disk is slower by an order of magnitude or two"},
	{"disk-stall", "a disk, or a majority of them, completes no call for a while"},
	{"disk-sync-error", "a sync fails, and what was not synced is lost"},
	{"disk-write-error", "a write fails, or a change of a directory"},
	{"disk-full", "a disk has no room for a while; writes end short"},
	{"clock-rate", "a clock's rate error changes"},
	{"clock-step", "wall clocks jump"},
	{"clock-freeze", "a replica's wall clock, or every clock of a client, stops for a moment"},
	{"lease-edge", "the leader, whose clock is as slow as rho allows, is cut off from the others, whose clocks are as fast"},
	{"client-cut", "a client reaches only some replicas"},
	{"client-crash", "a client's machine loses power and restarts"},
	{"client-pause", "a client's machine is paused; its clock goes on"},
	{"disk-rot-value", "synced values in a log rot; often the replica then restarts without a peer that has them, or is asked for votes that their leader has not received"},
	{"disk-rot", "synced headers, runs of bytes, or copies of a register rot"},
	{"disk-misdirect", "a write goes to another place of the disk, and its own place keeps the old bytes"},
	{"memory-stray", "a row changes in the memory of one replica, without a command of the log"},
	{"disk-read-error", "a read fails once; late in a run, sectors of the log become unreadable for good"},
	{"disk-forget", "late in a run, a replica's files are removed, or its promise register gets an old content"},
	{"disk-rot-snapshot", "the newest snapshot on a disk rots, often while another replica fetches it"},
	{"echo", "a replica or a client ends, and messages to that life arrive again at its next life"},
	{"lose-source", "a replica loses its source in the middle of fetching a snapshot, and gets an old piece again; or its disk stalls at the last piece"},
	{"late", "messages that a replica sent while its disk made nothing durable arrive again after it has lost power, forgotten its ballot, and led at it again"},
	{"lose-news", "for a while, every other answer to a KeepAlive that carries events is lost, or its request arrives again"},
	{"late-answer", "answers that may be cached, and answers to an Open, arrive after a later message to the same client"},
	{"late-copy", "all copies of a write are delayed until its client has given the write up and has the answer to another call"},
	{"disconnect", "connections of clients to a running replica break, and the clients notice"},
}

// Faults returns all kinds of faults: the built-in ones, followed by those of an extension. with
// may be nil.
func Faults(with *scenario.Extension) []FaultInfo {
	all := append([]FaultInfo{}, FaultKinds...)
	if with != nil {
		for _, f := range with.Faults {
			all = append(all, FaultInfo{f.Name(), f.Help()})
		}
	}
	return all
}

// WorkloadInfo describes a workload, for lists.
type WorkloadInfo struct{ Name, Help string }

// Names of workloads that the plan or the programs treat specially.
const (
	// Storm is the workload of many programs that wait for one lock.
	Storm = "storm"
	// Churn is the workload of sessions that come and go.
	Churn = "churn"
	// Big is the workload of files as large as files may be.
	Big = "big"
	// Fenced is the workload of a resource outside of the cell.
	Fenced = "fenced"
	// Cached is the workload of many readers and few writers.
	Cached = "cached"
	// Registry is the workload of a service registry: servers that come and go in a directory, and of those that watch it.
	Registry = "services"
)

// WorkloadKinds are all built-in workloads, in the order of reports and of draws.
var WorkloadKinds = []WorkloadInfo{
	{"mixed", "get, put, delete, compare-and-set, list and increments on shared rows"},
	{"increments", "read-modify-write loops on few rows, with reads between"},
	{"files", "nodes of a small tree that are opened, read, written, listed and deleted"},
	{"locks", "locks that are acquired, held, checked and released, by many clients that want the same lock"},
	{Storm, "one lock for which very many clients wait"},
	{Churn, "sessions that last for a few calls and then end or vanish, and their ephemeral nodes"},
	{Big, "files of the largest allowed size, and of one byte more"},
	{"rights", "nodes under ACL files that are made, changed and deleted, by handles with few rights, tied to sequencers or poisoned"},
	{Fenced, "a counter outside of the cell, which the holder of a lock reads and writes; it checks sequencers"},
	{"lists", "groups of rows that are filled, emptied and listed as a whole"},
	{Cached, "a file, names and absent nodes with many readers and few writers, and short-lived ephemeral nodes"},
	{Registry, "servers that register as ephemeral children of a directory, end or vanish, and watchers that list it after each event"},
}

// Workloads returns all workloads: the built-in ones, followed by those of an extension. with may
// be nil.
func Workloads(with *scenario.Extension) []WorkloadInfo {
	all := append([]WorkloadInfo{}, WorkloadKinds...)
	if with != nil {
		for _, w := range with.Workloads {
			all = append(all, WorkloadInfo{w.Name(), w.Help()})
		}
	}
	return all
}

// OnNodes reports whether a workload uses files and locks, except Fenced.
func OnNodes(workload string) bool {
	return slices.Contains([]string{"files", "locks", "rights", Storm, Churn, Big, Cached, Registry}, workload)
}
