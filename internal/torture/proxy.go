package torture

import (
	"io"
	"net"
	"sync"
)

// link is a TCP proxy in front of one address: the one way by which one party reaches
// another. While a direction is cut its bytes wait; what was under way arrives after that,
// unless a party has given the connection up.
type link struct {
	ln     net.Listener
	target string

	mu    sync.Mutex
	ways  [2]gate // forth: to the target; back
	conns map[net.Conn]bool
	shut  bool
}

const (
	forth = iota
	back
)

// gate is open when ch is nil.
type gate struct{ ch chan struct{} }

// newLink listens on the loopback interface.
func newLink(target string) (*link, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &link{ln: ln, target: target, conns: map[net.Conn]bool{}}
	go l.accept()
	return l, nil
}

func (l *link) addr() string { return l.ln.Addr().String() }

// cut stops the bytes of a direction, or lets them go on.
func (l *link) cut(way int, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := &l.ways[way]
	switch {
	case cut && g.ch == nil:
		g.ch = make(chan struct{})
	case !cut && g.ch != nil:
		close(g.ch)
		g.ch = nil
	}
}

func (l *link) accept() {
	for {
		near, err := l.ln.Accept()
		if err != nil {
			return
		}
		go l.serve(near)
	}
}

func (l *link) serve(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", l.target)
	if err != nil {
		return // the target is down, and so is this
	}
	defer far.Close()
	if !l.admit(near, far) {
		return
	}
	defer l.forget(near, far)
	done := make(chan struct{}, 2)
	go l.copy(far, near, forth, done)
	go l.copy(near, far, back, done)
	<-done // either end: the other one hears of it at once
}

func (l *link) admit(all ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range all {
		l.conns[c] = true
	}
	return !l.shut
}

func (l *link) forget(all ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range all {
		delete(l.conns, c)
	}
}

// copy moves bytes while its direction is not cut. An end behind a cut is not heard of.
func (l *link) copy(to io.Writer, from io.Reader, way int, done chan<- struct{}) {
	defer func() { done <- struct{}{} }()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		l.wait(way)
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait returns when a direction is not cut.
func (l *link) wait(way int) {
	for {
		l.mu.Lock()
		ch := l.ways[way].ch
		l.mu.Unlock()
		if ch == nil {
			return
		}
		<-ch
	}
}

// close ends everything.
func (l *link) close() {
	l.ln.Close()
	l.cut(forth, false)
	l.cut(back, false)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shut = true
	for c := range l.conns {
		c.Close()
	}
}
