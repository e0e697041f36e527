package runner

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Settings are plan.Options as files hold them: everything that decides a run.
type Settings struct {
	Seed     uint64        `json:"seed"`
	Replicas int           `json:"replicas"` // 0: drawn, as in plan.Options
	Clients  int           `json:"clients"`
	Duration time.Duration `json:"duration_ns"`
	Faults   []string      `json:"faults"` // "swarm" alone, or kinds; []: none
	Workload string        `json:"workload"`
	Steady   bool          `json:"steady,omitempty"`
	Lease    LeaseSettings `json:"lease,omitzero"`
	Fence    FenceSettings `json:"fence,omitzero"`
	Tune     []string      `json:"tune,omitempty"`
	// With names the parts of the extension.
	With  scenario.Names `json:"with,omitzero"`
	Judge string         `json:"judge,omitempty"`
	// Script lists the faults; nil: they are drawn.
	Script *plan.Script `json:"script,omitempty"`
}

// FenceSettings are plan.FenceOptions as files hold them.
type FenceSettings struct {
	Mode  plan.FenceMode `json:"mode"`
	Delay time.Duration  `json:"delay_ns"`
	Drift int            `json:"drift_permille"`
}

// LeaseSettings are plan.LeaseOptions as files hold them.
type LeaseSettings struct {
	Grant  time.Duration `json:"grant_ns"`
	Rho    paxos.PPM     `json:"rho_ppm"`
	Error  int           `json:"error_permille"`
	OnlyS7 bool          `json:"only_s7"`
}

// swarm stands in Settings for kinds of faults that are drawn.
const swarm = "swarm"

// SettingsOf returns the options that decide the run.
func SettingsOf(o plan.Options) Settings {
	s := Settings{o.Seed, o.Replicas, o.Clients, o.Duration, o.Faults, o.Workload, o.Steady, LeaseSettings(o.Lease), FenceSettings(o.Fence), o.Tune, o.With.Names(), o.Judge, o.Script}
	if s.Faults == nil {
		s.Faults = []string{swarm}
	}
	return s
}

// Options returns the settings as cell.Run takes them, without a trace. The parts of the extension
// are taken from with, the extension of this program, which may be nil and may have more parts. The
// error names parts that it lacks.
func (s Settings) Options(with *scenario.Extension) (plan.Options, error) {
	if len(s.Faults) == 1 && s.Faults[0] == swarm {
		s.Faults = nil
	}
	with, err := with.Only(s.With)
	return plan.Options{
		Seed: s.Seed, Replicas: s.Replicas, Clients: s.Clients, Duration: s.Duration, Faults: s.Faults, Workload: s.Workload,
		Steady: s.Steady, Lease: plan.LeaseOptions(s.Lease), Fence: plan.FenceOptions(s.Fence), Tune: s.Tune, With: with, Judge: s.Judge, Script: s.Script,
	}, err
}
