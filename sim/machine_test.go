package sim

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/invariant"
)

// scripted is a process made of functions.
type scripted struct {
	env     *Env
	start   func(env *Env)
	receive func(now time.Time, from Addr, msg []byte)
	wake    func(now time.Time)
}

func (p *scripted) Start(env *Env) {
	p.env = env
	if p.start != nil {
		p.start(env)
	}
}

func (p *scripted) Receive(now time.Time, from Addr, msg []byte) {
	if p.receive != nil {
		p.receive(now, from, msg)
	}
}

func (p *scripted) Wake(now time.Time) {
	if p.wake != nil {
		p.wake(now)
	}
}

func one(t *testing.T, p Process) (*World, *Machine) {
	w := New(Config{Seed: 1})
	t.Cleanup(w.Close)
	m := w.Add(MachineConfig{Process: func() Process { return p }, Disk: ssd()})
	m.Start()
	return w, m
}

// The instant given with an input is read when the process takes it, not when
// it arrived, and the order of arrival is kept.
func TestAPausedProcessTakesItsInputsLater(t *testing.T) {
	type seen struct {
		what string
		now  time.Duration
	}
	var got []seen
	p := &scripted{
		receive: func(now time.Time, _ Addr, msg []byte) { got = append(got, seen{string(msg), now.Sub(epoch())}) },
		wake:    func(now time.Time) { got = append(got, seen{"wake", now.Sub(epoch())}) },
		start:   func(env *Env) { env.WakeAt(env.Now().Add(2 * time.Second)) },
	}
	w, m := one(t, p)
	w.RunFor(time.Second)
	m.Pause()
	p.env.Send(1, []byte("a"))
	w.RunFor(2 * time.Second)
	p.env.Send(1, []byte("b"))
	w.RunFor(time.Second)
	require.Empty(t, got)
	require.True(t, m.Paused())
	m.PauseFor(time.Second)
	m.Resume()
	w.RunFor(2 * time.Second)
	at := 5 * time.Second
	require.Equal(t, []seen{{"a", at}, {"wake", at}, {"b", at}}, got)
}

func TestAPauseCanFallBetweenTheReadingAndTheCall(t *testing.T) {
	var now, called time.Duration
	var order []string
	p := &scripted{}
	p.receive = func(at time.Time, _ Addr, msg []byte) {
		order = append(order, string(msg))
		if len(order) == 1 {
			now, called = at.Sub(epoch()), p.env.World().Now()
		}
	}
	w, m := one(t, p)
	w.RunFor(time.Second)
	m.PauseAfterReading(time.Minute)
	p.env.Send(1, []byte("held"))
	w.RunFor(time.Millisecond)
	p.env.Send(1, []byte("behind"))
	w.RunFor(2 * time.Minute)
	require.Equal(t, time.Second, now)
	require.Equal(t, time.Minute+time.Second, called)
	require.Equal(t, []string{"held", "behind"}, order)
}

// An input that comes at the instant at which such a pause ends waits behind the input that was
// read before the pause.
func TestNothingOvertakesWhatWasReadBeforeAPause(t *testing.T) {
	var order []string
	p := &scripted{}
	p.receive = func(_ time.Time, _ Addr, msg []byte) { order = append(order, string(msg)) }
	w, m := one(t, p)
	w.RunFor(time.Second)
	m.PauseAfterReading(time.Hour)
	p.env.Send(1, []byte("held"))
	w.RunFor(time.Minute)
	m.Resume()
	m.intake.take(input{kind: inPost, fn: func(time.Time) { order = append(order, "post") }})
	w.RunFor(time.Second)
	require.Equal(t, []string{"held", "post"}, order)
}

func TestASlowNodeTakesOneInputAfterTheOther(t *testing.T) {
	var at []time.Duration
	p := &scripted{}
	p.receive = func(time.Time, Addr, []byte) { at = append(at, p.env.World().Now()) }
	w, m := one(t, p)
	w.Run(time.Second)
	m.Slow(time.Second)
	for range 3 {
		p.env.Send(1, nil)
	}
	w.RunFor(time.Minute)
	require.Len(t, at, 3)
	require.Equal(t, time.Second, at[1]-at[0])
	require.Equal(t, time.Second, at[2]-at[1])
}

func TestNothingOfALifeRunsAfterItsEnd(t *testing.T) {
	ends := map[string]func(m *Machine, env *Env){
		"crash": func(m *Machine, _ *Env) { m.Crash() },
		"kill":  func(m *Machine, _ *Env) { m.Kill() },
		"stop":  func(m *Machine, _ *Env) { m.Stop() }, // no Stopper: a kill
		"fail":  func(_ *Machine, env *Env) { env.Fail(errors.New("no disk")) },
		"exit":  func(_ *Machine, env *Env) { env.Exit() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			calls, unwound := 0, false
			p := &scripted{
				wake:    func(time.Time) { calls++ },
				receive: func(time.Time, Addr, []byte) { calls++ },
			}
			p.start = func(env *Env) {
				env.WakeAt(env.Now().Add(time.Second))
				env.Send(1, []byte("x"))
				env.Go("job", func() {
					defer func() {
						unwound = true
						env.Send(1, []byte("from the grave"))
						env.Go("job", func() { calls++ })
						env.Post(func(time.Time) { calls++ })
						env.WakeAt(env.Now())
						env.Fail(errors.New("again"))
					}()
					f, err := env.FS().Create("f")
					for err == nil {
						err = f.Sync()
					}
					calls++
				})
			}
			w, m := one(t, p)
			w.RunFor(100 * time.Microsecond)
			calls = 0
			end(m, p.env)
			require.False(t, m.Up())
			require.Nil(t, m.Process())
			require.True(t, unwound)
			require.True(t, p.env.Dead())
			w.RunFor(time.Minute)
			require.Zero(t, calls)
			require.Nil(t, w.Failure(), failed(w))
			if name == "fail" {
				require.EqualError(t, m.Failures()[0], "no disk")
				require.Len(t, m.Failures(), 1)
			}
		})
	}
}

// stopper ends by itself, a second after it was asked to.
type stopper struct {
	scripted
	asked time.Time
}

func (p *stopper) Stop(now time.Time) {
	p.asked = now
	p.env.WakeAt(now.Add(time.Second))
	p.wake = func(time.Time) { p.env.Exit() }
}

func TestACleanStop(t *testing.T) {
	p := &stopper{}
	w, m := one(t, p)
	w.RunFor(time.Second)
	m.Stop()
	w.RunFor(500 * time.Millisecond)
	require.True(t, m.Up())
	require.Equal(t, epoch().Add(time.Second), p.asked)
	w.RunFor(time.Second)
	require.False(t, m.Up())
	m.Start()
	w.RunFor(time.Second)
	require.Equal(t, 2, m.Lives())
}

func TestCrashAtANamedStep(t *testing.T) {
	var reached []string
	p := &scripted{}
	p.start = func(env *Env) {
		env.Go("job", func() {
			env.Point("before")
			reached = append(reached, "before")
			f, err := env.FS().Create("f")
			if err == nil {
				reached = append(reached, "created")
				err = f.SyncData()
			}
			if err == nil {
				reached = append(reached, "synced")
			}
		})
	}
	p.receive = func(time.Time, Addr, []byte) {
		p.env.Point("step")
		reached = append(reached, "past the step")
	}
	w, m := one(t, p)
	m.CrashAt("disk.syncdata", -1)
	w.RunFor(time.Second)
	require.Equal(t, []string{"before", "created"}, reached)
	require.False(t, m.Up())

	reached = nil
	m.Start()
	m.CrashAt("before", time.Second)
	w.RunFor(500 * time.Millisecond)
	require.False(t, m.Up())
	w.RunFor(time.Second)
	require.True(t, m.Up(), "it comes back")
	require.Equal(t, "before", reached[0])

	reached = nil
	m.CrashAt("step", 0)
	p.env.Send(1, nil)
	w.RunFor(time.Second)
	require.NotContains(t, reached, "past the step")
	require.Equal(t, 4, m.Lives())
	require.Nil(t, w.Failure())
}

func TestPanicsEndTheRun(t *testing.T) {
	broken := func() { invariant.Failf("I-A1", "promise fell") }
	crash := func() { panic("boom") }
	for name, c := range map[string]struct {
		p    *scripted
		kind FailureKind
		id   string
		text string
	}{
		"invariant in a method":    {&scripted{start: func(*Env) { broken() }}, Broken, "I-A1", "promise fell"},
		"invariant in a coroutine": {&scripted{start: func(e *Env) { e.Go("x", broken) }}, Broken, "I-A1", "promise fell"},
		"crash in a method":        {&scripted{start: func(*Env) { crash() }}, Crashed, "", "boom"},
		"crash in a coroutine":     {&scripted{start: func(e *Env) { e.Go("x", crash) }}, Crashed, "", "boom"},
		"disk call in a method": {&scripted{start: func(e *Env) { _, _ = e.FS().Open("f") }}, Crashed, "",
			"sim: a disk call blocks: call it on a coroutine (Go), not in a method of the process, nor on a goroutine of its own: go test -race shows where one is at work"},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := one(t, c.p)
			require.Equal(t, Failed, w.Run(time.Second))
			f := w.Failure()
			require.Equal(t, c.kind, f.Kind)
			require.Equal(t, c.id, f.ID)
			require.Contains(t, f.Text, c.text)
			require.Equal(t, Addr(1), f.Machine)
			require.Contains(t, f.Stack, "machine_test.go")
			require.Contains(t, f.Error(), "machine n1")
		})
	}
}

func TestWakeAtReplacesWhatWasAsked(t *testing.T) {
	var at []time.Duration
	p := &scripted{}
	p.wake = func(now time.Time) { at = append(at, now.Sub(epoch())) }
	w, _ := one(t, p)
	w.RunFor(0)
	ask := func(d time.Duration) { p.env.WakeAt(epoch().Add(d)) }
	ask(time.Second)
	ask(3 * time.Second) // later
	w.Run(2 * time.Second)
	require.Empty(t, at)
	ask(2500 * time.Millisecond) // earlier
	w.Run(10 * time.Second)
	ask(time.Second) // has passed
	w.Run(20 * time.Second)
	ask(30 * time.Second)
	p.env.WakeAt(time.Time{}) // none
	w.Run(40 * time.Second)
	require.Equal(t, []time.Duration{2500 * time.Millisecond, 10 * time.Second}, at)
}

func TestAProcessReadsBothClocks(t *testing.T) {
	p := &scripted{}
	w, m := one(t, p)
	w.RunFor(time.Second)
	before := w.Hash()
	require.Equal(t, epoch().Add(time.Second), p.env.Now())
	require.Equal(t, epoch().Add(time.Second), p.env.Wall())
	require.NotEqual(t, before, w.Hash(), "what a process reads is part of the run")
	m.Clock().StepWall(-time.Hour)
	require.Equal(t, epoch().Add(time.Second-time.Hour), p.env.Wall())
	require.Equal(t, epoch().Add(time.Second), p.env.Now())
}
