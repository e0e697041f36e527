package faults

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/sim"
)

// Upper limits on what a swarm does to links and clocks.
const (
	swarmLoss = 300_000    // parts in a million
	swarmRate = 10_000_000 // parts in a billion: 1 %
	swarmStep = 10 * time.Second
)

// kind makes a kind of fault with a drawn Rate.
type kind func(r Rate) sim.Fault

// ofReplicas are the kinds of Swarm.
var ofReplicas = []kind{
	func(r Rate) sim.Fault { return Crash(r, Any) },
	func(r Rate) sim.Fault { return Kill(r, Any) },
	func(r Rate) sim.Fault { return Restart(r, Any) },
	func(r Rate) sim.Fault { return TornWrites(r, Any) },
	func(r Rate) sim.Fault { return Pause(r, Any) },
	func(r Rate) sim.Fault { return Isolate(r, Any) },
	Partition,
	func(r Rate) sim.Fault { return OneWay(r, Any) },
	func(r Rate) sim.Fault { return Clog(r, Any) },
	func(r Rate) sim.Fault { return Loss(r, swarmLoss) },
	func(r Rate) sim.Fault { return SlowDisk(r, Any) },
	func(r Rate) sim.Fault { return FailingDisk(r, Any) },
	func(r Rate) sim.Fault { return ClockRate(r, Any, swarmRate) },
	func(r Rate) sim.Fault { return ClockStep(r, Any, swarmStep) },
}

// ofClients are the kinds that SwarmWithClients adds.
var ofClients = []kind{
	func(r Rate) sim.Fault { return Crash(r, AnyClient) },
	func(r Rate) sim.Fault { return Restart(r, AnyClient) },
	func(r Rate) sim.Fault { return Pause(r, AnyClient) },
	func(r Rate) sim.Fault { return Isolate(r, AnyClient) },
	func(r Rate) sim.Fault { return PartitionWith(r, AnyClient) },
	func(r Rate) sim.Fault { return OneWay(r, AnyClient) },
	func(r Rate) sim.Fault { return Clog(r, AnyClient) },
	func(r Rate) sim.Fault { return LossAt(r, AnyClient, swarmLoss) },
	func(r Rate) sim.Fault { return ClockRate(r, AnyClient, swarmRate) },
	func(r Rate) sim.Fault { return ClockStep(r, AnyClient, swarmStep) },
}

// Swarm draws faults for one seed of a world of any protocol. Each kind of the library that strikes
// replicas is on with an even chance. All of them together strike between about sixty times a second
// and once in two seconds. Seeds therefore differ in their demands on the protocol, and with few
// kinds at a time, the kinds do not hide each other. The rate of a clock errs by up to 1 % while its
// fault is in force.
func Swarm(seed uint64) []sim.Fault { return swarm(seed, "faults.swarm", ofReplicas) }

// SwarmWithClients is Swarm, and as many faults more that strike the machines of clients: these crash,
// restart, pause, are cut off, lose messages, and have wrong clocks. The names of these faults begin
// with "client-". The faults of replicas are those of Swarm for the seed. See AnyClient for what
// programs must bear: a call that was under way when a client crashed has an unknown outcome.
func SwarmWithClients(seed uint64) []sim.Fault {
	all := Swarm(seed)
	for _, f := range swarm(seed, "faults.swarm.clients", ofClients) {
		f := f.(recurring)
		f.name = "client-" + f.name
		all = append(all, f)
	}
	return all
}

// swarm draws faults of some kinds, at least one.
func swarm(seed uint64, site string, kinds []kind) []sim.Fault {
	d := draw.New(seed).Stream(site, 0)
	between := func(least, most time.Duration) time.Duration {
		return time.Duration(d.LogUniform(int64(least), int64(most)))
	}
	gap := between(15*time.Millisecond, 2*time.Second)
	on := 0
	drawn := make([]time.Duration, len(kinds)) // how long each effect lasts; 0: the kind is off
	for i := range kinds {
		length := between(time.Millisecond, time.Second)
		if d.Chance(1, 2) {
			drawn[i], on = length, on+1
		}
	}
	if on == 0 {
		drawn[0], on = between(time.Millisecond, time.Second), 1
	}
	var all []sim.Fault
	for i, length := range drawn {
		if length > 0 {
			all = append(all, kinds[i](Rate{Every: gap * time.Duration(on), For: length}))
		}
	}
	return all
}
