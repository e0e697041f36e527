package lockfile

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// retransmission is when a call without an answer is sent again, under its number.
const retransmission = time.Second

// rpc is the NFS client of all machines: each call has a number.
type rpc struct{ calls int }

// call calls the server until it answers, as a hard mount does.
func (c *rpc) call(n *lab.Node, format string, args ...any) string {
	c.calls++
	text := fmt.Sprintf("%s:%d ", n.Name(), c.calls) + fmt.Sprintf(format, args...)
	for {
		if answer, ok := n.Call(host, text, retransmission); ok {
			return answer
		}
	}
}

// attributes is what LOOKUP says of a file.
type attributes struct {
	mtime time.Time
	links int
	owner string
}

// stat looks a name up.
func (c *rpc) stat(n *lab.Node, name string) (a attributes, found bool) {
	f := strings.Fields(c.call(n, "LOOKUP %s", name))
	if f[0] != "ok" {
		return attributes{}, false
	}
	nanos, _ := strconv.ParseInt(f[1], 10, 64)
	links, _ := strconv.Atoi(f[2])
	return attributes{time.Unix(0, nanos), links, f[3]}, true
}
