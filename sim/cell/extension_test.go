package cell

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// blink is a fault: a replica loses power just as it begins to serve.
type blink struct{}

func (blink) Name() string { return "blink" }
func (blink) Help() string { return "a master loses power as it begins to serve" }

func (blink) Strike(s scenario.Stage) {
	s.Resign(s.Leader())
	s.When(func(e event.Event) bool { _, serves := e.(event.Serves); return serves }, func() {
		s.World().Count("blinks")
		s.CutPower(s.Leader())
	})
}

// turnstile is a workload: programs count one row up.
type turnstile struct{}

func (turnstile) Name() string { return "turnstile" }
func (turnstile) Help() string { return "all programs count one row up" }

func (turnstile) Turn(ctx context.Context, p scenario.Program) {
	was, err := p.Client().Get(ctx, "g0/turnstile")
	p.Done("get", true, err)
	if err != nil && !errors.Is(err, client.ErrNotFound) {
		return
	}
	want, n := client.Absent(), 0
	if err == nil {
		want = client.Value(was)
		_, err = fmt.Sscan(was, &n)
	} else {
		err = nil
	}
	if err == nil {
		err = p.Client().CompareAndSet(ctx, "g0/turnstile", want, fmt.Sprint(n+1))
	}
	p.Done("count", true, err)
}

// collector is a checker that counts events by type. wrong, if set, may return an error for an
// event.
type collector struct {
	seen  map[reflect.Type]int
	wrong func(event.Event) error
	end   error
}

func (k *collector) On(_ time.Duration, e event.Event) error {
	k.seen[reflect.TypeOf(e)]++
	if k.wrong != nil {
		return k.wrong(e)
	}
	return nil
}

func (k *collector) End() error { return k.end }

func (k *collector) property(id string) scenario.Property {
	return scenario.Property{ID: id, Help: "a test", New: func() scenario.Checker { return k }}
}

func TestAnExtensionTakesPart(t *testing.T) {
	k := &collector{seen: map[reflect.Type]int{}}
	x := &scenario.Extension{Faults: []scenario.Fault{blink{}}, Workloads: []scenario.Workload{turnstile{}}, Properties: []scenario.Property{k.property("X1")}}
	require.NoError(t, CheckExtension(x))
	o := plan.Options{Seed: 2, With: x, Workload: "turnstile", Faults: []string{"blink", "crash", "noise"}, Lease: plan.LeaseOptions{Grant: -1}}
	require.NoError(t, o.Check())
	r := Run(o)
	require.Nil(t, r.Breach)
	require.True(t, r.Counted, "%d calls", r.Ops)
	var struck uint64
	for _, n := range r.Faults {
		if n.Name == "blink" {
			struck = n.Value
		}
	}
	require.Positive(t, struck)
	require.True(t, slices.ContainsFunc(r.Counters, func(n Number) bool { return n.Name == "blinks" && n.Value > 0 }), "%v", r.Counters)
	for _, e := range []event.Event{
		event.Opens{}, event.Recovered{}, event.Started{}, event.Ended{}, event.RequestReceived{}, event.ReplySent{}, event.MessageSent{}, event.MessageReceived{},
		event.Proposed{}, event.Durable{}, event.Applied{}, event.Executed{}, event.TenureChanged{}, event.Serves{},
		event.CallEnded{}, event.FaultStruck{}, event.Healed{}, event.AuditBegun{}, event.AuditPassed{},
	} {
		require.Positive(t, k.seen[reflect.TypeOf(e)], "%T", e)
	}
}

// hasty is a workload that gives up its calls early, by the machine's clock.
type hasty struct{ turnstile }

func (hasty) Name() string { return "hasty" }

func (hasty) Turn(ctx context.Context, p scenario.Program) {
	if !p.Healed() {
		var cancel context.CancelFunc
		ctx, cancel = p.WithTimeout(ctx, time.Millisecond)
		defer cancel()
	}
	p.Done("put", true, p.Client().Put(ctx, "g0/hasty", "a"))
}

// A call that its program gives up has an unknown outcome, also in seeds with an extension.
func TestUnknownOutcomesOfAnExtension(t *testing.T) {
	x := &scenario.Extension{Workloads: []scenario.Workload{hasty{}}}
	r := Run(plan.Options{Seed: 3, With: x, Workload: "hasty", Faults: []string{}, Duration: 5 * time.Second})
	require.Nil(t, r.Breach)
	require.Positive(t, r.Unknown)
}

// Events of snapshots and of locks are published, too.
func TestEventsOfSnapshotsAndLocks(t *testing.T) {
	k := &collector{seen: map[reflect.Type]int{}}
	wanted := []event.Event{event.SnapshotPublished{}, event.SnapshotInstalled{}, event.LockBelieved{}, event.LockGivenUp{}}
	missing := func(e event.Event) bool { return k.seen[reflect.TypeOf(e)] == 0 }
	for seed := uint64(1); seed < 60 && slices.ContainsFunc(wanted, missing); seed++ {
		r := Run(plan.Options{
			Seed: seed, Workload: "locks", Faults: []string{"lose-source", "crash"},
			With: &scenario.Extension{Properties: []scenario.Property{k.property("X1")}},
		})
		require.Nil(t, r.Breach)
	}
	for _, e := range wanted {
		require.False(t, missing(e), "%T", e)
	}
}

// A listener changes nothing: a run has the same hash with it.
func TestListenersLeaveTheHashAlone(t *testing.T) {
	k := &collector{seen: map[reflect.Type]int{}}
	plain := Run(plan.Options{Seed: 11})
	heard := Run(plan.Options{Seed: 11, With: &scenario.Extension{Properties: []scenario.Property{k.property("X1")}}})
	require.Equal(t, plain.Hash, heard.Hash)
	require.NotEmpty(t, k.seen)
}

func TestACheckerOfAnExtensionEndsTheRun(t *testing.T) {
	bad := func(e event.Event) error {
		if s, ok := e.(event.Serves); ok && s.Epoch > 1 {
			return fmt.Errorf("replica %d serves epoch %d", s.Replica, s.Epoch)
		}
		return nil
	}
	k := &collector{seen: map[reflect.Type]int{}, wrong: bad}
	r := Run(plan.Options{Seed: 11, With: &scenario.Extension{Properties: []scenario.Property{k.property("X1")}}})
	require.NotNil(t, r.Breach)
	require.Equal(t, "X1", r.Breach.ID)
	require.Contains(t, r.Breach.Text, "serves epoch")

	k = &collector{seen: map[reflect.Type]int{}, end: errors.New("not all was seen")}
	r = Run(plan.Options{Seed: 11, With: &scenario.Extension{Properties: []scenario.Property{k.property("X1")}}})
	require.NotNil(t, r.Breach)
	require.Equal(t, []string{"X1", "not all was seen"}, []string{r.Breach.ID, r.Breach.Text})
}

// Two breaches by checkers of an extension are the same if their properties are, whatever the
// checkers saw: Check is one text for all checkers of an extension.
func TestCheckersOfAnExtensionAreToldApart(t *testing.T) {
	breaks := func(id string, seed uint64) *Breach {
		k := &collector{seen: map[reflect.Type]int{}, wrong: func(e event.Event) error {
			if s, ok := e.(event.Serves); ok {
				return fmt.Errorf("replica %d serves in seed %d", s.Replica, seed)
			}
			return nil
		}}
		return Run(plan.Options{Seed: seed, With: &scenario.Extension{Properties: []scenario.Property{k.property(id)}}}).Breach
	}
	one, two, other := breaks("X1", 11), breaks("X1", 12), breaks("X2", 11)
	require.NotEqual(t, one.Text, two.Text)
	require.True(t, one.Same(two))
	require.Equal(t, one.Text, other.Text)
	require.False(t, one.Same(other))
}

func TestNamesOfAnExtension(t *testing.T) {
	k := &collector{}
	for name, x := range map[string]*scenario.Extension{
		`fault "blink": the name is taken`: {Faults: []scenario.Fault{blink{}, blink{}}},
		`property "S1": the name is taken`: {Properties: []scenario.Property{k.property("S1")}},
		`property "x": a name is of the`:   {Properties: []scenario.Property{k.property("x")}},
		`property "X2": New is nil`:        {Properties: []scenario.Property{{ID: "X2"}}},
	} {
		require.ErrorContains(t, CheckExtension(x), name)
	}
	require.Error(t, plan.Options{Workload: "turnstile"}.Check())
	require.Error(t, plan.Options{Faults: []string{"blink"}}.Check())
}
