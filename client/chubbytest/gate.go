package chubbytest

import "sync"

// gate stops the goroutines of a paused replica when they pass it. All methods are safe for
// concurrent use.
type gate struct {
	mu     sync.Mutex
	opened chan struct{} // closed when the gate opens; nil: it is open
}

// pass blocks while the gate is shut.
func (g *gate) pass() {
	for {
		g.mu.Lock()
		opened := g.opened
		g.mu.Unlock()
		if opened == nil {
			return
		}
		<-opened
	}
}

// shut makes pass block. It reports whether the gate was open.
func (g *gate) shut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened != nil {
		return false
	}
	g.opened = make(chan struct{})
	return true
}

// open makes pass return. It reports whether the gate was shut.
func (g *gate) open() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened == nil {
		return false
	}
	close(g.opened)
	g.opened = nil
	return true
}

// isShut reports whether pass blocks.
func (g *gate) isShut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opened != nil
}
