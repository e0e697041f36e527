package main

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// panics carries the first panic of some goroutines to the one that waits for
// them, where app.run makes an exit code of it. Any goroutine may call guard;
// rethrow is called when all have ended.
type panics struct {
	mu    sync.Mutex
	first string // with its stack, "" if there was none
}

// guard calls f and keeps its panic. It reports whether f returned.
func (p *panics) guard(f func()) (returned bool) {
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

// rethrow panics with what was kept.
func (p *panics) rethrow() {
	if p.first != "" {
		panic(p.first)
	}
}
