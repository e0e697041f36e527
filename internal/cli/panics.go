package cli

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Panics carries the first panic of some goroutines to the one that waits for
// them, where Run makes an exit code of it. Any goroutine may call Guard;
// Rethrow is called when all have ended.
type Panics struct {
	mu    sync.Mutex
	first string // with its stack, "" if there was none
}

// Guard calls f and keeps its panic. It says whether f returned.
func (p *Panics) Guard(f func()) (returned bool) {
	defer func() {
		if r := recover(); r != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.first == "" {
				p.first = fmt.Sprintf("%v\n%s", r, debug.Stack())
			}
		}
	}()
	f()
	return true
}

// Rethrow panics with what was kept.
func (p *Panics) Rethrow() {
	if p.first != "" {
		panic(p.first)
	}
}
