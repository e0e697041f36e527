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
	odd   *sim.Draw // decides what is seldom done
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

// dirs are the directories that programs use, the one with the contended node first. Some names
// begin with the name of another directory, and sort before or after the paths below that one.
var dirs = [...]string{"/d0", "/d", "/d0-", "/d00", "/d1", "/d1.x"}

// subdir is the name of directories within directories.
const subdir = "/s"

// isDir reports whether programs make a directory at path.
func isDir(path string) bool { return model.Parent(path) == "/" || strings.HasSuffix(path, subdir) }

// dir picks a directory in the root.
func (c *fileChoice) dir() string { return dirs[c.draws.Int(c.calls.Groups)] }

// delay draws a lock-delay. At times it exceeds the longest one that the cell grants (C7.06), but
// not on a node that must be lockable in the finale. At times it is 0, as in a request that does
// not set it.
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

// generation draws the content generation on which a write is conditional: none, the latest that
// the program knows, or an older one.
func (c *fileChoice) generation(o *opened) client.ContentGen {
	return conditionOn(o.stat.Content, c.draws.Weighted([]uint32{5, 5, 1}))
}

// namesAt is like generation, for the ACL names of a node.
func (c *fileChoice) namesAt(o *opened) client.ACLGen {
	return conditionOn(o.stat.ACL, c.odd.Weighted([]uint32{5, 3, 1}))
}

// conditionOn returns the generation on which a write is conditional: for kind 0 none, for 1 the
// known one, otherwise an older one.
func conditionOn[G ~uint64](known G, kind int) G {
	switch kind {
	case 0:
		return 0
	case 1:
		return known
	}
	return max(known, 2) - 1
}
