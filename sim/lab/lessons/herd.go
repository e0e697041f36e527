package lessons

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// queueUp is an ephemeral sequential node of a session that is kept alive.
func queueUp(a *lab.App) (session, node string) {
	session = ask(a, "zookeeper", "connect")
	a.Go("pings", func() {
		for {
			a.Sleep(2 * time.Second)
			a.Call("zookeeper", "ping "+session, patience)
		}
	})
	return session, ask(a, "zookeeper", "create "+session+" lock-")
}

// waitWith waits until its node is the lowest; watched says which node to watch meanwhile.
func waitWith(a *lab.App, watched func(all []string, own int) string) {
	session, node := queueUp(a)
	for {
		all := strings.Fields(ask(a, "zookeeper", "children "+session))
		own := slices.Index(all, node) // names of equal length sort by number
		if own == 0 {
			break
		}
		a.Call("zookeeper", "watch "+session+" "+watched(all, own), time.Hour)
	}
	h := a.Take(lab.Grant{})
	v, _ := a.Read(h)
	a.Sleep(500 * time.Millisecond)
	a.Write(h, v.Next())
	h.End()
	ask(a, "zookeeper", "delete "+session+" "+node)
}

// watchLowest has every waiter watch the node of the holder.
func watchLowest(a *lab.App, s *scene) {
	waitWith(a, func(all []string, _ int) string { return all[0] })
}

// watchPredecessor has each waiter watch the node just before its own.
func watchPredecessor(a *lab.App, s *scene) {
	waitWith(a, func(all []string, own int) string { return all[own-1] })
}

const crowd = 30 // clients

func herd() Lesson {
	return Lesson{
		Name: "herd", File: "herd.go",
		Title: "a thundering herd: each release wakes all waiters",
		Says:  "if n waiters all watch the holder, one release costs n messages and n requests, of which one succeeds: n releases cost n². If each watches the one before it, a release wakes one, and the queue is fair",
		harm:  []harm{messagesPerLock(40)},
		shows: []count{func(r *run) string {
			return fmt.Sprintf("%d locks, %d messages", len(r.Holds), r.Messages)
		}},
		script: func(s *scene) {
			for i := range crowd {
				s.client(fmt.Sprintf("c%d", i+1), time.Duration(i)*time.Millisecond)
			}
		},
		programs: []program{
			{name: "watchLowest", note: "ZooKeeper, 30 clients", wrong: true, build: zoo, guard: lab.NoGuard, run: watchLowest},
			{name: "watchPredecessor", note: "ZooKeeper, 30 clients", build: zoo, guard: lab.NoGuard, run: watchPredecessor},
		},
	}
}
