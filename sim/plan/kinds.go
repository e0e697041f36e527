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
	{"crash-leader", "the replica that leads loses power"},
	{"crash-midstep", "a replica loses power at its next call of one kind to the disk"},
	{"crash-mending", "a replica loses power between the two copies of a register, or is killed there and loses power while that is mended"},
	{"crash-all", "all replicas lose power within a moment"},
	{"kill", "a replica's process is killed; what it wrote stays"},
	{"depose", "the leader is made to believe that it is none, a few times in a row"},
	{"duel", "replicas campaign though another leads, a few times in a row"},
	{"rebirth", "a candidate loses power before its promise is on disk, and campaigns again while the first answers are on their way"},
	{"pause", "a replica stands still while its clock goes on"},
	{"pause-leader", "the replica that leads stands still"},
	{"pause-midstep", "a replica stands still between reading its clock and acting"},
	{"slow-node", "a replica takes long for each input"},
	{"partition", "the replicas fall into two or three groups"},
	{"isolate-leader", "the leader is cut off from replicas, or from all"},
	{"bridge", "two halves reach each other through one replica only"},
	{"one-way", "some directed links lose everything"},
	{"clog", "some directed links hold everything back, then let it go"},
	{"clog-tenure", "what some replicas and the leader say to each other is held back until a replica begins to lead"},
	{"succession", "the leader leads alone with its clients; the next leader steps down as the first comes back"},
	{"slow-link", "some links are slower by an order of magnitude or two"},
	{"noise", "all links lose, double and reorder messages, with long delays"},
	{"disk-slow", "a disk is slower by an order of magnitude or two"},
	{"disk-stall", "a disk, or a majority of them, answers nothing for a while"},
	{"disk-sync-error", "a sync fails and what was not synced is gone"},
	{"disk-write-error", "a write or a change of names fails"},
	{"disk-full", "a disk has no room for a while; writes end short"},
	{"clock-rate", "a clock's rate error changes"},
	{"clock-step", "wall clocks jump"},
	{"clock-freeze", "a replica's wall clock, or all of a client's clock, stands still for a moment"},
	{"lease-edge", "the leader, with the slowest clock allowed, is cut off from the others, with the fastest"},
	{"client-cut", "a client reaches only some replicas"},
	{"client-crash", "a client's machine loses power and starts anew"},
	{"client-pause", "a client stands still"},
	{"disk-rot-value", "values that a log has synced go bad; often the replica starts again, without one that has them, or is asked for votes that their leader has not heard of"},
	{"disk-rot", "synced headers, runs of bytes, or copies of a register go bad"},
	{"disk-misdirect", "what was written stands in another place, and old bytes where it should be"},
	{"memory-stray", "a row is written in the memory of one replica, and in no log"},
	{"disk-read-error", "a read fails; late in a run, sectors of the log are unreadable for good"},
	{"disk-forget", "late in a run, files are gone, or a replica's promise is that of a while ago"},
	{"disk-rot-snapshot", "the newest snapshot on a disk goes bad, often while another replica fetches it"},
	{"echo", "a replica or a client ends, and what was said to it comes once more to its next life"},
	{"lose-source", "a replica is away for a while; in the middle of fetching a snapshot it loses its source, and hears an old piece again; or its disk stands still at the end"},
	{"late", "what a replica sends while its disk makes nothing durable comes again when it has lost power, and leads at the ballot that it has forgotten"},
	{"lose-news", "answers to KeepAlives that carry events are lost, every other one, or their requests come again, for a while"},
	{"late-answer", "answers that may be cached, or to an Open, are overtaken by what their clients are told next"},
	{"late-copy", "all copies of a write are under way until its client has given it up, and was answered another call"},
	{"disconnect", "connections of clients to a replica that is there break, and the clients are told"},
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
	{"locks", "locks that are acquired, held, checked and released, by many who want the same"},
	{Storm, "one lock that very many wait for"},
	{Churn, "sessions that last for a few calls, end or vanish, and their ephemeral nodes"},
	{Big, "files as large as they may be, and a byte more"},
	{"rights", "nodes under ACL files that come, change and go, by handles with few rights, fenced or poisoned"},
	{Fenced, "a counter outside of the cell, which the holder of a lock reads and writes; it checks sequencers"},
	{"lists", "groups of rows that are filled, emptied and listed as a whole"},
	{Cached, "a file, names and absent nodes that many read, few that write, and ephemeral nodes that come and go"},
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
