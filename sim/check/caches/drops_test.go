package caches_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/caches"
)

// talk is the messages between session 7 and the master of epoch 2.
type talk struct {
	d  *caches.Drops
	at time.Time
	id uint64
}

func (k *talk) asks(seq api.Seq, caching bool) {
	k.d.OnRequest(k.at, api.Request{Session: 7, Seq: seq, Epoch: 2, MayCache: caching, Op: api.GetStat{}})
}

func (k *talk) told(seq api.Seq, cacheable bool) {
	k.d.OnReply(1, k.at, api.Reply{Session: 7, Seq: seq, Epoch: 2, Cacheable: cacheable, Result: api.Result{Code: api.OK}})
}

// keeps is a KeepAlive that is answered at once, with drops up to a number.
func (k *talk) keeps(acked api.EventNumber, lease time.Duration, last api.EventNumber, drops int) {
	l := api.Leased{Lease: lease, LastEvent: last}
	for range drops {
		l.Events = append(l.Events, api.Event{Kind: api.EventDrop})
	}
	k.keepAlive(acked, l)
}

// hears is a KeepAlive that is answered with all events after those acknowledged, up to a number.
func (k *talk) hears(acked, last api.EventNumber) {
	l := api.Leased{Lease: time.Second, LastEvent: last}
	for range last - acked {
		l.Events = append(l.Events, api.Event{Kind: api.EventContents})
	}
	k.keepAlive(acked, l)
}

func (k *talk) keepAlive(acked api.EventNumber, l api.Leased) {
	k.id++
	k.d.OnRequest(k.at, api.Request{ID: k.id, Session: 7, Epoch: 2, Op: api.KeepAlive{AckedEvents: acked}})
	k.d.OnReply(1, k.at, api.Reply{ID: k.id, Session: 7, Epoch: 2, Result: api.Result{Code: api.OK, Detail: l}})
}

// answered is the answer to a KeepAlive that was received, with drops that are the first events.
func (k *talk) answered(id uint64, lease time.Duration, drops int) {
	l := api.Leased{Lease: lease, LastEvent: api.EventNumber(drops)}
	for range drops {
		l.Events = append(l.Events, api.Event{Kind: api.EventDrop})
	}
	k.d.OnReply(1, k.at, api.Reply{ID: id, Session: 7, Epoch: 2, Result: api.Result{Code: api.OK, Detail: l}})
}

// dropped is a call that may be cached, and five seconds later a KeepAlive whose answer has
// that many drops.
func (k *talk) dropped(drops int) {
	k.asks(1, true)
	k.keeps(0, 10*time.Second, api.EventNumber(drops), drops)
	k.at = k.at.Add(5 * time.Second)
}

func TestWhatIsSaidOfCaches(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		run func(k *talk)
		bad string
	}{
		"asked for, and allowed":                        {func(k *talk) { k.asks(1, true); k.told(1, true) }, ""},
		"asked for, and not allowed":                    {func(k *talk) { k.asks(1, true); k.told(1, false) }, ""},
		"not asked for, and allowed":                    {func(k *talk) { k.asks(1, false); k.told(1, true) }, "S12"},
		"another call, and allowed":                     {func(k *talk) { k.asks(1, true); k.asks(2, false); k.told(2, true) }, "S12"},
		"told to drop":                                  {func(k *talk) { k.asks(1, true); k.keeps(0, 10*s, 1, 1) }, ""},
		"told to drop, and has nothing":                 {func(k *talk) { k.asks(1, false); k.keeps(0, 10*s, 1, 1) }, "S12"},
		"acknowledged":                                  {func(k *talk) { k.dropped(2); k.keeps(2, 10*s, 0, 0) }, ""},
		"one of two acknowledged":                       {func(k *talk) { k.dropped(2); k.keeps(1, 10*s, 2, 1) }, "L1"},
		"not acknowledged, and the lease is not longer": {func(k *talk) { k.dropped(1); k.keeps(0, 5*s, 1, 1) }, ""},
		"not acknowledged, and the lease is longer":     {func(k *talk) { k.dropped(1); k.keeps(0, 6*s, 1, 1) }, "L1"},
		"told later, and the lease is longer":           {func(k *talk) { k.dropped(1); k.keeps(1, 10*s, 2, 1) }, ""},
		"acknowledged before it is told again": {func(k *talk) {
			k.dropped(1)
			k.d.OnRequest(k.at, api.Request{ID: 1, Session: 7, Epoch: 2, Op: api.KeepAlive{}})
			k.d.OnRequest(k.at, api.Request{ID: 2, Session: 7, Epoch: 2, Op: api.KeepAlive{AckedEvents: 1}})
			k.answered(1, 5*s, 1)
			k.at = k.at.Add(9 * s)
			k.answered(2, 19*s, 0) // from when it was received
		}, ""},
		"acknowledged before it was told": {func(k *talk) {
			k.asks(1, true)
			k.keeps(1, 10*s, 1, 1)
			k.at = k.at.Add(5 * s)
			k.keeps(0, 6*s, 1, 1)
		}, "L1"},
		"of another epoch": {func(k *talk) {
			k.dropped(1)
			k.d.OnEpoch(3)
			k.keeps(0, 10*s, 0, 0)
			require.EqualValues(t, 1, k.d.Failovers)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := sim.New(sim.Config{})
			t.Cleanup(w.Close)
			k := &talk{d: caches.NewDrops(w, 10*s), at: time.Unix(100, 0)}
			c.run(k)
			if c.bad == "" {
				require.Nil(t, w.Failure())
				return
			}
			require.NotNil(t, w.Failure())
			require.Equal(t, c.bad, w.Failure().ID)
		})
	}
}

// A session that was given something to cache has it flushed once, by the next epoch.
func TestAFailoverFlushesWhatClientsWereGiven(t *testing.T) {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	k := &talk{d: caches.NewDrops(w, time.Minute), at: time.Unix(100, 0)}
	k.asks(1, true)
	k.told(1, false)
	k.d.OnEpoch(2)
	k.d.OnEpoch(3)
	require.Zero(t, k.d.Flushed)
	k.asks(2, true)
	k.told(2, true)
	k.d.OnEpoch(2)
	require.Zero(t, k.d.Flushed, "the epoch that gave it")
	k.d.OnEpoch(3)
	k.d.OnEpoch(4)
	require.EqualValues(t, 1, k.d.Flushed)
}

// A session owes the acknowledgement of a drop until it acknowledges it. If a later epoch
// began before, it owes this to the earlier master for ever.
func TestDropsAreOwedUntilAcknowledged(t *testing.T) {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	k := &talk{d: caches.NewDrops(w, time.Minute), at: time.Unix(100, 0)}
	k.asks(1, true)
	k.keeps(0, time.Second, 0, 0)
	require.False(t, k.d.Owes(7, 2), "it was told nothing")
	k.keeps(0, time.Second, 2, 2)
	require.True(t, k.d.Owes(7, 2))
	require.False(t, k.d.Owes(7, 1), "in another epoch")
	require.False(t, k.d.Owes(8, 2), "another session")
	k.keeps(1, time.Second, 2, 1)
	require.True(t, k.d.Owes(7, 2), "one of two")
	k.keeps(2, time.Second, 0, 0)
	require.False(t, k.d.Owes(7, 2))
	k.keeps(2, time.Second, 3, 1)
	k.d.OnEpoch(3)
	require.True(t, k.d.Owes(7, 2))
}

// A session that leaves an event unacknowledged that was repeated may keep a drop from being told.
func TestWhatIsRepeatedIsOwedUntilAcknowledged(t *testing.T) {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	k := &talk{d: caches.NewDrops(w, time.Minute), at: time.Unix(100, 0)}
	k.hears(0, 2)
	require.False(t, k.d.Owes(7, 2), "sent for the first time")
	k.hears(1, 3)
	require.True(t, k.d.Owes(7, 2))
	k.hears(3, 4)
	require.False(t, k.d.Owes(7, 2), "it has acknowledged what was repeated")
}
