package tour

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// rot picks the draws of the fault that lets values go bad: a replica that follows has them.
const rot = 29

// log is how many bytes were written to the log of a replica, without the zeros up to the size of its files, and how
// many of its sectors are not synced.
func log(m *sim.Machine) string {
	size, unsynced := 0, 0
	for _, f := range m.Disk().Mem().Files() {
		if strings.HasSuffix(f.Name, ".wal") {
			all, _ := m.Disk().Mem().Contents(f.Name) // its error is that there is no such file
			size, unsynced = size+len(bytes.TrimRight(all, "\x00")), unsynced+f.Unsynced
		}
	}
	return fmt.Sprintf("%d bytes of log; sectors of it that are not synced: %d", size, unsynced)
}

// torn has a replica lose power in the middle of a write, and later lets its disk go bad.
func torn() Scene {
	return Scene{
		Name: "torn-tail", Title: "A torn tail is cut off, rot is not",
		Questions: [3]Question{
			{"A replica loses power in the middle of a write. What may it forget of its log?", "What was never synced: any part of that may be on the disk. No message that depends on it has left, so no replica counts on it. The log is cut behind its last whole record, and the replica continues."},
			{"A record in the middle of the log, which was synced long ago, cannot be read. May it be cut off there?", "No. The record may hold a promise or a vote that other replicas count on. What tells rot from a torn tail is a watermark: the number up to which the log is known to be synced, which is stored in later records."},
			{"May such a replica take part in votes?", "Yes, since it knows which slots it has lost. A promise reports such a vote as lost, instead of leaving it out; no replica asks for promises in this scene. The replica asks another one for the values, and writes to its log again those that went bad. The register with its promise is kept in two copies."},
		},
		Read: []string{"wal/doc.go", "docs/decisions/0011-wal-frames.md", "docs/decisions/0012-promise-register.md", "paxos/acceptor.go"},
		seed: 26, clients: 2, length: 16 * sec, tune: []string{"disk-sync=10ms", "snapshot-every=1000"},
		faults: []*plan.Strike{{Fault: plan.Fault{Kind: "disk-rot-value", N: rot}, At: 11 * sec}},
		parts: func() (func(scenario.Stage), func(int, actor)) {
			return func(s scenario.Stage) {
					s.After(6*sec, func() { tears(s, others(s, s.Leader())[0], 200) })
				}, func(_ int, a actor) {
					a.writes(15*ms, 15*sec)
				}
		},
		tells: []tell{
			{kind: says, text: `log`, most: 3},
			{kind: moments.Heard, text: `accept `, who: 1, from: 5980 * ms, most: 2},
			{kind: moments.Durable, text: `voted`, who: 1, from: 5980 * ms},
			{kind: moments.Done, text: `go(es)? bad`, most: 4},
			{kind: moments.Done, text: `loses power|is killed`, most: 2},
			{kind: moments.Done, text: `restarts`, most: 2},
			{kind: moments.Believes, text: `starts with boot`, most: 3, from: sec},
			{kind: moments.Heard, text: `fetch`, from: 11 * sec, most: 2},
			{kind: moments.Durable, text: `learned`, from: 11 * sec, most: 3},
		},
	}
}

// tears cuts the power of a replica when something of its log is not synced; it looks a few times.
func tears(s scenario.Stage, m *sim.Machine, tries int) {
	text := log(m)
	if tries > 0 && strings.Contains(text, "synced: 0") {
		s.After(ms, func() { tears(s, m, tries-1) })
		return
	}
	s.World().Tracef(m.Addr(), says, "has %s", text)
	s.CutPower(m)
	s.World().Tracef(m.Addr(), says, "has, without power, %s", log(m))
	var look func()
	look = func() {
		if _, ok := s.Status(m); !ok {
			s.After(ms, look)
			return
		}
		s.World().Tracef(m.Addr(), says, "has recovered: %s", log(m))
	}
	s.After(ms, look)
}

// laggard keeps a replica away until the others have dropped what it lacks.
func laggard() Scene {
	return Scene{
		Name: "laggard", Title: "A laggard catches up from a snapshot",
		Questions: [3]Question{
			{"A replica was away for a while. How does it learn what was chosen?", "A heartbeat tells it how far the others are, and it asks one of them for the slots that it lacks."},
			{"The others have made snapshots, and dropped the log below. What can they send?", "A snapshot: all rows as of one slot, in pieces, with a checksum; then the slots after it, as usual. The source may be any replica, not only the leader."},
			{"May the laggard vote while it is behind?", "Yes, by the rules of any vote: its promise admits the ballot, and the vote is on its disk before it reports it. It votes in slots that are not too far above those that it has (MaxAhead), and drops the others. It must not answer a client, or apply a slot whose predecessors it lacks."},
		},
		Read: []string{"paxos/catchup.go", "snapshot/doc.go", "docs/decisions/0014-snapshot-handle.md"},
		seed: 6, clients: 2, length: 20 * sec, tune: []string{"snapshot-every=20", "keep-slots=5"},
		parts: func() (func(scenario.Stage), func(int, actor)) {
			return func(s scenario.Stage) {
					s.After(4*sec, func() {
						m := others(s, s.Leader())[0]
						mend := apart(s, m)
						ends(s, 10*sec, mend)
						behind := func() {
							me, _ := s.Status(m)
							all := ""
							for _, o := range others(s, m) {
								if st, ok := s.Status(o); ok {
									all += fmt.Sprintf(", %v slot %d and has none below %d", o.Addr(), st.Applied, st.Floor)
								}
							}
							s.World().Tracef(m.Addr(), says, "has applied slot %d%s", me.Applied, all)
						}
						for _, t := range []time.Duration{0, 9900 * ms, 12 * sec} {
							s.After(t, behind)
						}
					})
				}, func(_ int, a actor) {
					a.writes(60*ms, 18*sec)
				}
		},
		tells: []tell{
			{kind: says, text: `has applied`, most: 3},
			{kind: moments.Done, text: `are lost|get through again`, most: 2},
			{kind: moments.Heard, text: `heartbeat `, from: 14 * sec},
			{kind: moments.Durable, text: `promised|voted`, who: 2, from: 14 * sec, most: 2},
			{kind: moments.Sent, text: `fetch |ask any`, who: 2, from: 14 * sec, most: 2},
			{kind: moments.Heard, text: `piece of`, from: 14 * sec, most: 3},
			{kind: moments.Believes, text: `snapshot`, from: 14 * sec},
			{kind: moments.Heard, text: `fetched|fetch reply|values`, from: 14 * sec, most: 2},
		},
	}
}
