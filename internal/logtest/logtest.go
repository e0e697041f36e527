// Package logtest is test support: a log that a test reads while other goroutines write it.
package logtest

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// Log keeps what is written to it. The zero Log is empty. Its methods may be called from any goroutine.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends b. It never fails.
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String returns all that was written until now.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Has reports whether the words were written.
func (l *Log) Has(words string) bool { return strings.Contains(l.String(), words) }

// Logger returns a logger of text lines, from level INFO on, that writes to the log.
func (l *Log) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
