package story

import (
	"regexp"
	"strings"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/moments"
)

// Reads that a client may answer from its cache, as reports and messages tell them.
var (
	cachedRead = regexp.MustCompile(`(?:finds in its cache|from its cache) (?:(a handle on|contents of|metadata of|names in) )?(/[\w/.~-]*)`)
	// oldRead is a read of contents that are older than an event that the client has heard of: it may be of its cache.
	oldRead   = regexp.MustCompile(`has heard of contents \d+ of (/[\w/.~-]*)#\d+, and reads`)
	opened    = regexp.MustCompile(`^answer #\d+ .*: ok (h[0-9a-f]{6}) is (/[\w/.~-]*)#\d+`)
	requestNo = regexp.MustCompile(`^call (#\d+) .*: (.*)$`)
	answerNo  = regexp.MustCompile(`^answer (#\d+) `)
)

// mostFills is how many answers are told that may have filled a cache.
const mostFills = 2

// cached returns the last commands that changed what a report says that a client finds in its cache, and the last
// answers that may have filled the cache with it: the last one of each first.
func (l log) cached(report string, end int) []int {
	r := staleRead{log: l, end: end}
	if found := cachedRead.FindStringSubmatch(report); found != nil {
		r.what, r.path = found[1], found[2]
	} else if found := oldRead.FindStringSubmatch(report); found != nil {
		r.what, r.path = "contents of", found[1]
	}
	if r.path == "" || l.Broke == moments.None || !l.All[l.Broke].Who.IsClient() {
		return nil
	}
	return inTurn(r.changes(), r.fills())
}

// staleRead is what a report says that the client of the break finds in its cache.
type staleRead struct {
	log  log
	what string // the kind of read, as in cachedRead; "": the report does not say
	path string // of the node
	end  int    // moments from it on do not count
}

// inTurn returns the elements of both lists: the first ones, then the second ones, and so on.
func inTurn(a, b []int) (all []int) {
	for i := range max(len(a), len(b)) {
		if i < len(a) {
			all = append(all, a[i])
		}
		if i < len(b) {
			all = append(all, b[i])
		}
	}
	return all
}

// mostChanges is how many commands are told that changed what a client has in its cache.
const mostChanges = 2

// changes returns the last commands that changed a node, or the names in it.
func (r staleRead) changes() (all []int) {
	path := regexp.QuoteMeta(r.path)
	form := `^(?:SetContents|SetACL|DeleteNode|Sweep|OpenNode .* made: true).*`
	if r.what == "names in" {
		form = `^(?:DeleteNode|Sweep|OpenNode .* made: true).*`
		path = regexp.QuoteMeta(strings.TrimSuffix(r.path, "/")) + `/[\w.~-]+`
	}
	changed := regexp.MustCompile(form + `(?:^|[\s{:])` + path + `(?:[#\s}]|$)`)
	for i := r.end - 1; i >= 0 && len(all) < mostChanges; i-- {
		if m := &r.log.All[i]; m.Kind == moments.Executes && changed.MatchString(m.Text) {
			all = append(all, i)
		}
	}
	return all
}

// fills returns the last answers of masters from which the client of the break may have what the report says that it
// has in its cache: answers to the same kind of read, of the same node.
func (r staleRead) fills() (all []int) {
	who := r.log.All[r.log.Broke].Who
	requests := r.requestsOf(who)
	for i := r.end - 1; i >= 0 && len(all) < mostFills; i-- {
		m := &r.log.All[i]
		if m.Who != who || m.Kind != "receive" {
			continue
		}
		if no := answerNo.FindStringSubmatch(m.Text); no != nil && requests[no[1]] {
			all = append(all, i)
		}
	}
	return all
}

// requestsOf returns the numbers of the requests by which a client read the node: by opening it, or by a handle on it.
func (r staleRead) requestsOf(who sim.Addr) map[string]bool {
	read := regexp.MustCompile(`^(?:contents|stat) of (h[0-9a-f]{6})`) // the answer to either has metadata
	switch r.what {
	case "contents of":
		read = regexp.MustCompile(`^contents of (h[0-9a-f]{6})`)
	case "names in":
		read = regexp.MustCompile(`^(?:\d+ )?children of (h[0-9a-f]{6})`)
	}
	handles, requests := map[string]bool{}, map[string]bool{}
	for i := range r.log.All[:r.end] {
		m := &r.log.All[i]
		if m.Who != who {
			continue
		}
		if of := opened.FindStringSubmatch(m.Text); of != nil && m.Kind == "receive" && of[2] == r.path {
			handles[of[1]] = true
		}
		no := requestNo.FindStringSubmatch(m.Text)
		if no == nil || m.Kind != "send" {
			continue
		}
		by := read.FindStringSubmatch(no[2])
		isRead := by != nil && r.what != "a handle on" && handles[by[1]]
		isOpen := strings.HasPrefix(no[2], "open") && r.what != "names in" && strings.Contains(no[2], `"`+strings.TrimPrefix(r.path, "/")+`"`)
		if isRead || isOpen {
			requests[no[1]] = true
		}
	}
	return requests
}
