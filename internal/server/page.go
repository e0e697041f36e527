package server

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/chubbycell/chubby/internal/transport/peer"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Bounds of the status page.
const (
	pageRows  = 100                    // of each list
	pageFresh = 500 * time.Millisecond // a page that is asked for sooner shows the same facts
	pageWait  = 5 * time.Second        // how long the replica may take to tell them
)

// overviews keeps the newest overview of the replica, so that many readers cost as much as one.
type overviews struct {
	mu    sync.Mutex
	taken time.Time
	last  replica.Overview
}

func (s *Server) overview(ctx context.Context) (replica.Overview, time.Time, error) {
	o := &s.overviews
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.taken) < pageFresh {
		return o.last, o.taken, nil
	}
	ctx, cancel := context.WithTimeout(ctx, pageWait)
	defer cancel()
	next, err := s.replica.Load().Overview(ctx, pageRows)
	if err != nil {
		return next, time.Time{}, err
	}
	o.last, o.taken = next, time.Now()
	return o.last, o.taken, nil
}

// forget has the next page show new facts.
func (o *overviews) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taken = time.Time{}
}

// page is what the template shows.
type page struct {
	Cell, Word              string
	ID                      uint32
	IsLeader, IsMaster      bool
	Elsewhere               string // which page tells more; empty: this one
	Warnings                []string
	Members                 []memberRow
	Facts                   []fact
	Sessions, Locks, Delays list
	Note, Taken             string
}

type memberRow struct {
	ID                                            paxos.NodeID
	Addr, Role, Connection, Silent, Counted, Rows string
}

type fact struct{ Name, Value string }

// list is the first rows of a table, and how many there are.
type list struct {
	Count string
	Rows  [][]string
}

// listOf counts rows in words: those of what there is one of, or several.
func listOf(rows [][]string, all int, one, several string) list {
	what := several
	if all == 1 {
		what = one
	}
	count := fmt.Sprintf("%d %s", all, what)
	if len(rows) < all {
		count += fmt.Sprintf(", of which %d are shown", len(rows))
	}
	return list{count + ".", rows}
}

// servePage answers with the status page. It needs no script and loads nothing else.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	o, taken, err := s.overview(r.Context())
	if err != nil {
		http.Error(w, fmt.Sprintf("replica %d tells nothing: %v", s.cfg.ID, err), http.StatusServiceUnavailable)
		return
	}
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, s.pageOf(&o, taken, s.showsNames(r))); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(text.Bytes())
}

// showsNames reports whether the page of a request names principals and nodes. A reader of pages
// proves no identity, so names stay within this machine, unless the network is trusted. The request must be made to
// an address of this machine, too: a page of another site may have given its own name that address, and would read
// this one by the browser of a user here.
func (s *Server) showsNames(r *http.Request) bool {
	remote, _, err := net.SplitHostPort(r.RemoteAddr)
	return s.cfg.AllowPlain || err == nil && isLoopback(remote) && isLocal(r.Host)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// isLocal reports whether a Host is this machine, whatever names are resolved to.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]") // of IPv6 without a port
	return host == "localhost" || isLoopback(host)
}

func (s *Server) pageOf(o *replica.Overview, taken time.Time, names bool) page {
	peers := s.peers.Status()
	name := func(text fmt.Stringer) string { return text.String() }
	p := page{
		Cell: s.cfg.Cell, ID: s.cfg.ID, Word: word(o), IsLeader: o.Role == paxos.Leader, IsMaster: o.IsMaster,
		Elsewhere: s.elsewhere(o), Taken: taken.UTC().Format(time.RFC3339),
	}
	if !names {
		name = func(fmt.Stringer) string { return hidden }
		p.Note = "Names of principals and nodes are shown to this machine only. "
	}
	p.Warnings = append(s.secrets.warnings(time.Now()), warnings(o, peers, name)...)
	p.Members = s.memberRows(o, peers)
	p.Facts = s.facts(o)
	p.Sessions = listOf(sessionRows(o, name), int(o.Status.Sessions), "session is alive", "sessions are alive")
	p.Locks = listOf(lockRows(o, name), o.Held, "lock is held", "locks are held")
	p.Delays = listOf(delayRows(o, name), o.Delayed, "lock-delay runs", "lock-delays run")
	return p
}

// elsewhere says what the page of a replica that is no master lacks, and where it is.
func (s *Server) elsewhere(o *replica.Overview) string {
	if o.ID == 0 || o.IsMaster {
		return ""
	}
	const lacks = "Only the master knows the leases, states and handles of sessions, and how many Acquires wait for a lock"
	switch {
	case o.Role == paxos.Leader:
		return lacks + ": this replica leads, and is to become it."
	case o.Leader == 0:
		return lacks + "; there is none now, as far as this replica knows."
	}
	return fmt.Sprintf("%s: see the page of replica %d, which is on %s.", lacks, o.Leader, hostOf(s.cfg.Members[uint32(o.Leader)]))
}

// hostOf returns the host of an address, or the address if it has no port.
func hostOf(addr string) string {
	if host, _, err := net.SplitHostPort(addr); err == nil {
		return host
	}
	return addr
}

// hidden stands for a name that is not shown.
const hidden = "(hidden)"

// word is the state of the replica in a word or two.
func word(o *replica.Overview) string {
	switch {
	case o.ID == 0:
		return "stopped"
	case o.IsMaster:
		return "master, " + o.State
	case o.Role == paxos.Leader:
		return "leader, " + o.State
	case o.Leader == 0:
		return string(o.Role) + ", knows no leader"
	}
	return fmt.Sprintf("%s of replica %d", o.Role, o.Leader)
}

func (s *Server) memberRows(o *replica.Overview, peers []peer.PeerStatus) (all []memberRow) {
	links := map[paxos.NodeID]peer.PeerStatus{}
	for _, p := range peers {
		links[p.ID] = p
	}
	for _, m := range o.Members {
		row := memberRow{ID: m.ID, Addr: s.cfg.Members[uint32(m.ID)], Role: "member", Connection: "up", Rows: "no difference known"}
		link := links[m.ID]
		switch {
		case m.IsThisReplica:
			row.Connection = "this replica"
		case !link.Connected:
			row.Connection = "down: " + link.Err
		}
		if m.IsLeader {
			row.Role = "leader"
		}
		if m.HasOtherRows {
			row.Rows = "other rows"
		}
		if o.Role == paxos.Leader {
			row.Counted = "none"
			if m.Counted > 0 {
				row.Counted = span(m.Counted) + " left"
			}
			if !m.IsThisReplica {
				row.Silent = span(m.Silent) + " ago"
			}
		}
		all = append(all, row)
	}
	return all
}

func (s *Server) facts(o *replica.Overview) []fact {
	lease, grant := "none", "none"
	if o.Lease > 0 {
		lease = span(o.Lease) + " left"
	}
	if o.Granted > 0 {
		grant = fmt.Sprintf("to replica %d, %s left", o.Holder, span(o.Granted))
	}
	ballot := "none"
	if o.Ballot != (paxos.Ballot{}) {
		ballot = o.Ballot.String()
	}
	return []fact{
		{"role", string(o.Role)},
		{"as a master", o.State},
		{"epoch", fmt.Sprintf("%d, of replica %d", o.Epoch, o.Master)},
		{"own ballot", ballot},
		{"promised ballot", o.Promised.String()},
		{"lease to read alone", lease},
		{"grant given", grant},
		{"handles open", fmt.Sprint(o.Handles)},
		{"Acquires that wait", fmt.Sprint(o.Waiting)},
		{"client processes", fmt.Sprint(s.clients.Clients())},
		{"applied slot", fmt.Sprint(o.Applied)},
		{"first open slot", fmt.Sprint(o.FirstOpen)},
		{"slots in flight", fmt.Sprint(o.InFlight)},
		{"log kept from slot", fmt.Sprint(o.Floor)},
		{"newest snapshot, slot", fmt.Sprint(o.Snapshot)},
		{"log on disk", size(s.metrics.walBytes())},
		{"records written", fmt.Sprint(o.Records)},
		{"syncs to disk in this life", fmt.Sprint(o.SyncedIn.Count())},
		{"rows", fmt.Sprintf("%d, %s", o.Rows, size(o.RowBytes))},
		{"backups in this life", fmt.Sprintf("%d written, %d failed", o.Backups, o.BackupsFailed)},
	}
}

func sessionRows(o *replica.Overview, name func(fmt.Stringer) string) (all [][]string) {
	for _, s := range o.FirstSessions {
		row := []string{fmt.Sprint(s.ID), name(text(s.Principal))}
		if o.IsMaster {
			lease, state, handles := "", "", ""
			if s.IsKnown {
				lease, state, handles = span(s.Lease), "valid", fmt.Sprint(s.Handles)
			}
			switch {
			case s.IsKnown && s.Expiring:
				state = "ends"
			case s.IsKnown && !s.HasAcked:
				state = "not back since the fail-over"
			}
			row = append(row, lease, state, handles)
		}
		all = append(all, append(row, fmt.Sprint(s.Locks)))
	}
	return all
}

func lockRows(o *replica.Overview, name func(fmt.Stringer) string) (all [][]string) {
	for _, l := range o.FirstLocks {
		var holders []string
		for _, h := range l.Holders {
			holders = append(holders, h.String())
		}
		if n := int(l.State.Holders) - len(holders); n > 0 {
			holders = append(holders, fmt.Sprintf("and %d more", n))
		}
		row := []string{name(l.Node.Path), l.State.Mode.String(), fmt.Sprint(l.State.Gen), strings.Join(holders, ", ")}
		if o.IsMaster {
			row = append(row, fmt.Sprint(l.Waiting))
		}
		all = append(all, row)
	}
	return all
}

func delayRows(o *replica.Overview, name func(fmt.Stringer) string) (all [][]string) {
	for _, d := range o.FirstDelays {
		left := span(d.Left)
		if d.IsWhole {
			left = "within " + left + ": the master knows when"
		}
		row := []string{name(d.Node.Path), left}
		if o.IsMaster {
			row = append(row, fmt.Sprint(d.Waiting))
		}
		all = append(all, row)
	}
	return all
}

// text is a string as a fmt.Stringer.
type text string

func (t text) String() string { return string(t) }

// span is a duration as people read it.
func span(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// size is a number of bytes as people read it.
func size(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	x, i := float64(n), 0
	for x >= 1024 && i < len(units)-1 {
		x, i = x/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", x, units[i])
}
