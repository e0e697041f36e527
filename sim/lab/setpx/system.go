package setpx

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// System is the card of this model.
func System() lab.System {
	return lab.System{
		Name:    "setpx",
		Title:   "Redis SET NX PX, one instance",
		Version: "the command's page in the documentation of Redis 7 [doc]; watchdog of Redisson [src]",
		Omits:   "eviction, Lua, READONLY replicas, Sentinel's election; clients know of a fail-over at once",
		Token:   "none by default; INCR of a counter in the same script, monotonic only while the instance keeps its data [derived]",
		Options: []lab.Option{
			{Name: "ttl", Value: "30 s", Mark: "[doc]"},
			{Name: "renewal, where a client has it", Value: "every ttl/3", Mark: "[src]"},
			{Name: "expiry", Value: "by the server's wall clock", Mark: "[doc]"},
			{Name: "appendonly", Value: "no; if yes, appendfsync everysec", Mark: "[doc]"},
			{Name: "replication", Value: "asynchronous", Mark: "[doc]"},
		},
		Lease:   30 * time.Second,
		Default: onOne(lock{ttl: 30 * time.Second, token: true}, config{}),
		Breaks:  []lab.Break{pause(), step(), failover(), restart(), delay(), renewal()},
	}
}
