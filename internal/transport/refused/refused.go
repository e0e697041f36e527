// Package refused is concurrent: it keeps connections that are refused again and again from filling the log.
package refused

import (
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"
)

// mostCauses bounds what a Log remembers, and mostOfHost what of that is of one host.
const mostCauses, mostOfHost = 256, 16

// again is after what time the log has a cause once more.
const again = 10 * time.Minute

// Log counts connections that were refused, by host and cause. Causes may have words that a stranger chose, and another
// one each time, so there are so many at most; those beyond are counted as one. Its methods are safe for concurrent
// use; the zero Log is empty.
type Log struct {
	mu    sync.Mutex
	count map[key]seen
}

// key is a host and a cause; with isRest it stands for the causes of the host beyond mostOfHost, and without a host for
// those of all hosts beyond mostCauses.
type key struct {
	host, cause string
	isRest      bool
}

// seen is how often there was a cause, and when the log had it last.
type seen struct {
	n    int
	told time.Time
}

// Note counts one, and reports whether the log should have it: the 1st, 2nd, 4th, 8th and so on, and one in ten
// minutes. text is the cause as the log is to have it.
func (l *Log) Note(host, cause string, now time.Time) (isNews bool, n int, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == nil {
		l.count = map[key]seen{}
	}
	k := l.place(key{host: host, cause: cause}, now)
	s := l.count[k]
	s.n++
	isNews = s.n&(s.n-1) == 0 || now.Sub(s.told) >= again
	if isNews {
		s.told = now
	}
	l.count[k] = s
	if k.isRest {
		cause += " (one of very many different refusals, which are counted together)"
	}
	return isNews, s.n, cause
}

// place is the key by which a cause is counted. If there is no room for it, it first forgets what has not occurred for
// long. The caller holds the lock.
func (l *Log) place(k key, now time.Time) key {
	if _, known := l.count[k]; known || l.hasRoom(k.host) {
		return k
	}
	maps.DeleteFunc(l.count, func(_ key, s seen) bool { return now.Sub(s.told) >= again })
	if l.hasRoom(k.host) {
		return k
	}
	rest := key{host: k.host, isRest: true}
	if _, known := l.count[rest]; known || len(l.count) < mostCauses {
		return rest
	}
	return key{isRest: true}
}

// hasRoom reports whether a cause of a host may be added.
func (l *Log) hasRoom(host string) bool {
	n := 0
	for k := range l.count {
		if k.host == host {
			n++
		}
	}
	return n < mostOfHost && len(l.count) < mostCauses
}

// Forget has the next refusal of a host logged: one of its connections was good.
func (l *Log) Forget(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.count, func(k key, _ seen) bool { return k.host == host })
}

// mostText is about the longest text of a cause, in bytes.
const mostText = 1 << 10

// Short is a text for the log, of bounded length: names in a certificate are those that a stranger chose.
func Short(text string) string {
	if len(text) <= mostText {
		return text
	}
	return strings.ToValidUTF8(text[:mostText], "") + "..."
}

// Unaccepted is why a certificate was not accepted, the same text at each attempt: that of package x509 has the
// present time.
func Unaccepted(err error) string {
	var invalid x509.CertificateInvalidError
	if errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil {
		at := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
		return fmt.Sprintf("by the clock of this machine it is not valid now: it is from %s until %s", at(invalid.Cert.NotBefore), at(invalid.Cert.NotAfter))
	}
	return err.Error()
}
