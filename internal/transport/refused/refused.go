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

// mostCauses bounds what a Log remembers.
const mostCauses = 256

// again is after what time the log has a cause once more.
const again = 10 * time.Minute

// Log counts connections that were refused, by host and cause. Its methods are safe for concurrent use; the zero
// Log is empty.
type Log struct {
	mu    sync.Mutex
	count map[[2]string]seen
}

// seen is how often there was a cause, and when the log had it last.
type seen struct {
	n    int
	told time.Time
}

// Note counts one, and reports whether the log should have it: the 1st, 2nd, 4th, 8th and so on, and one in ten
// minutes.
func (l *Log) Note(host, cause string, now time.Time) (isNews bool, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := [2]string{host, cause}
	s := l.count[key]
	if l.count == nil || len(l.count) >= mostCauses && s.n == 0 {
		l.count = map[[2]string]seen{}
	}
	s.n++
	isNews = s.n&(s.n-1) == 0 || now.Sub(s.told) >= again
	if isNews {
		s.told = now
	}
	l.count[key] = s
	return isNews, s.n
}

// Forget has the next refusal of a host logged: one of its connections was good.
func (l *Log) Forget(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.count, func(key [2]string, _ seen) bool { return key[0] == host })
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
