package workload

import (
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
)

// fileChoice draws which node a program works on, and how.
type fileChoice struct {
	calls *plan.CallPlan
	draws *sim.Draw
	odd   *sim.Draw // what is seldom done
}

// path picks a node: the contended one, a directory, or a file in one. Some
// directories stand in others.
func (c *fileChoice) path() string {
	dir := c.dir()
	for range 2 {
		if c.draws.Chance(1, 6) {
			dir += subdir
		}
	}
	switch {
	case c.draws.Chance(c.calls.Hot, 100):
		return HotNode
	case c.draws.Chance(1, 4):
		return dir
	}
	return fmt.Sprintf("%s/f%d", dir, c.draws.Int(c.calls.Keys))
}

// dirs are the directories that programs use, the one with the contended node first.
// The names of some begin with those of others, and sort before and behind what is
// in these.
var dirs = [...]string{"/d0", "/d", "/d0-", "/d00", "/d1", "/d1.x"}

// subdir is what directories in directories are called.
const subdir = "/s"

// isDir says whether programs make a directory of a node.
func isDir(path string) bool { return model.Parent(path) == "/" || strings.HasSuffix(path, subdir) }

// dir picks a directory in the root.
func (c *fileChoice) dir() string { return dirs[c.draws.Int(c.calls.Groups)] }

// delay draws a lock-delay: at times a longer one than there is (C7.06), on nodes
// that has not to be lockable in the end; and at times none, which is what a request
// without a delay asks for.
func (c *fileChoice) delay(path string) time.Duration {
	d := c.someDelay(path)
	if c.odd.Chance(1, 6) {
		return 0
	}
	return min(d, api.MaxLockDelay.Duration())
}

func (c *fileChoice) someDelay(path string) time.Duration {
	if path != HotNode && c.draws.Chance(1, 20) {
		return c.draws.Duration(30*time.Second, 2*time.Minute)
	}
	return c.draws.Duration(0, 2*c.calls.Delay)
}

// generation is one of the contents that a program writes if they are those: any, the
// last that it was told of, or one that was never.
func (c *fileChoice) generation(o *opened) client.ContentGen {
	return conditionOn(o.stat.Content, c.draws.Weighted([]uint32{5, 5, 1}))
}

// namesAt is generation, of a node's ACL names.
func (c *fileChoice) namesAt(o *opened) client.ACLGen {
	return conditionOn(o.stat.ACL, c.odd.Weighted([]uint32{5, 3, 1}))
}

// conditionOn is the generation that a write asks for: 0 none, 1 the one that is known,
// else an older one.
func conditionOn[G ~uint64](known G, kind int) G {
	switch kind {
	case 0:
		return 0
	case 1:
		return known
	}
	return max(known, 2) - 1
}
