package redlock

import (
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// config is what an operator sets for an instance.
type config struct {
	monotonic bool          // not a setting of Redis: expiry by a clock that is never stepped
	stayOut   time.Duration // for how long an instance that was restarted answers nothing
}

// instance is one life of an instance: a key with its value and expiry, in memory.
type instance struct {
	*lab.Node
	config
	value string // "": the key is not there
	until time.Time
	out   bool // stays out
}

// serve is the program of an instance. A second life begins without the key.
func (c config) serve() func(n *lab.Node) {
	lives := 0
	return func(n *lab.Node) {
		i := &instance{Node: n, config: c, out: lives > 0 && c.stayOut > 0}
		if lives++; i.out {
			n.Note("stays out for %v", c.stayOut)
			n.After(c.stayOut, func() { i.out = false })
		}
		n.Serve(func(r lab.Request) {
			if !i.out {
				n.Answer(r, i.run(strings.Fields(r.Text)))
			}
		})
	}
}

func (i *instance) now() time.Time {
	if i.monotonic {
		return i.Now()
	}
	return i.Wall()
}

// run executes a command: SET v ms, GET, or one of the scripts release v, extend v ms and
// extend-or-set v ms.
func (i *instance) run(f []string) string {
	if i.value != "" && !i.now().Before(i.until) {
		i.value = ""
	}
	switch free := i.value == ""; {
	case f[0] == "GET":
		return i.value
	case f[0] == "SET" && free, f[0] == "extend-or-set" && free:
		i.value = f[1]
		i.expire(f[2])
	case f[0] == "SET", free, i.value != f[1]:
		return "no"
	case f[0] == "release":
		i.value = ""
	default:
		i.expire(f[2])
	}
	return "OK"
}

func (i *instance) expire(ms string) {
	n, _ := strconv.Atoi(ms)
	i.until = i.now().Add(time.Duration(n) * time.Millisecond)
}
