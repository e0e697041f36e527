// Package systems is test support: the list of all lock systems of the lab. Each is a
// package of its own, below sim/lab.
package systems

import (
	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/lab/chubby"
	"github.com/chubbycell/chubby/sim/lab/consul"
	"github.com/chubbycell/chubby/sim/lab/etcd"
	"github.com/chubbycell/chubby/sim/lab/lockfile"
	"github.com/chubbycell/chubby/sim/lab/postgres"
	"github.com/chubbycell/chubby/sim/lab/redlock"
	"github.com/chubbycell/chubby/sim/lab/rowlock"
	"github.com/chubbycell/chubby/sim/lab/setnx"
	"github.com/chubbycell/chubby/sim/lab/setpx"
	"github.com/chubbycell/chubby/sim/lab/zookeeper"
)

// All lists the systems in the order of tables.
func All() []lab.System {
	return []lab.System{
		lockfile.System(),
		rowlock.System(),
		setnx.System(),
		setpx.System(),
		redlock.System(),
		chubby.System(),
		zookeeper.System(),
		etcd.System(),
		consul.System(),
		postgres.System(),
	}
}

// Named is the system with this name.
func Named(name string) (lab.System, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return lab.System{}, false
}
