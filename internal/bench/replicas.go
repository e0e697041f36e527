package bench

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// reading is what the replicas have used so far, each by itself. What is unknown is missing.
type reading struct {
	at         time.Time
	master     uint32
	cpu        map[uint32]time.Duration // by replica; only of those that have a process of their own
	resident   int64                    // bytes of the master's process; 0: unknown
	keepAlives *float64                 // that the master answered; nil: unknown
	page       string                   // of the master, or its id, which told keepAlives; "": unknown
}

// takeReplicas reads them. The master is the replica that the run's own session takes for it.
func takeReplicas(ctx context.Context, r *run) reading {
	t := reading{at: time.Now(), master: r.own.Status().Target, cpu: map[uint32]time.Duration{}}
	sockets, shared := socketsOf(), map[int]int{}
	pids := map[uint32]int{}
	for id, addr := range r.target.Replicas {
		pids[id] = sockets[listenerOf(addr)]
		shared[pids[id]]++
	}
	for id, pid := range pids {
		if pid == 0 || pid == os.Getpid() || shared[pid] > 1 {
			continue
		}
		t.cpu[id] = timeOf(pid)
		if id == t.master {
			t.resident = residentOf(pid)
		}
	}
	if p := r.progress(ctx); p != nil {
		t.keepAlives, t.page = &p.keepAlives, p.from
	}
	return t
}

// sum is the processor time of all replicas; -1 if that of one is unknown.
func (t reading) sum(replicas int) (all time.Duration) {
	if len(t.cpu) < replicas {
		return -1
	}
	for _, d := range t.cpu {
		all += d
	}
	return all
}

// residentOf is the memory of a process that is in RAM, in bytes; 0 if it is unknown.
func residentOf(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10
		}
	}
	return 0
}

// add fills in what the replicas used: before the sessions were opened, and from one reading to
// another. With another master meanwhile there are no figures.
func (row *Held) add(before, from, to reading, alive int) {
	if before.master != to.master || from.master != to.master {
		return
	}
	seconds := to.at.Sub(from.at).Seconds()
	if from.keepAlives != nil && to.keepAlives != nil && from.page == to.page {
		row.KeepAlives = figureOf((*to.keepAlives - *from.keepAlives) / seconds)
	}
	if before.resident > 0 && to.resident > 0 && alive > 0 {
		row.MasterBytes = figureOf(float64(to.resident-before.resident) / float64(alive))
	}
	var others time.Duration
	n := 0
	for id, end := range to.cpu {
		begin, known := from.cpu[id]
		switch {
		case !known:
		case id == to.master:
			row.MasterCPU = figureOf(100 * (end - begin).Seconds() / seconds)
		default:
			n++
			others += end - begin
		}
	}
	if n > 0 {
		row.FollowerCPU = figureOf(100 * others.Seconds() / seconds / float64(n))
	}
}

func figureOf(v float64) *float64 { return &v }
