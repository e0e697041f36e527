package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheOutboxHoldsBackWhatIsNotDurable(t *testing.T) {
	o := NewOutbox(NodeConfig{Records: [][]byte{{1}, {2}}})
	o.Send([]byte("now"), 1, 2)
	o.Record([]byte("r3"), []byte("m3"), 1)
	o.Record([]byte("r4"), []byte("m4"), 2)
	require.Error(t, o.Propose(epoch(), "v"))
	o.WakeAt(epoch())
	out := o.TakeOutput()
	require.Equal(t, uint64(3), out.First)
	require.Equal(t, uint64(4), out.SyncTo)
	require.Equal(t, [][]byte{[]byte("r3"), []byte("r4")}, out.Append)
	require.Equal(t, []Envelope{{1, []byte("now")}, {2, []byte("now")}}, out.Send)
	require.Equal(t, epoch(), out.Wake)

	require.Equal(t, Output{Wake: epoch()}, o.TakeOutput())
	o.Durable(time.Time{}, 3)
	o.Record([]byte("r5"), []byte("m5"), 1)
	out = o.TakeOutput()
	require.Equal(t, []Envelope{{1, []byte("m3")}}, out.Send)
	require.Equal(t, uint64(5), out.First)
	o.Durable(time.Time{}, 5)
	o.Choose(1, "v")
	out = o.TakeOutput()
	require.Equal(t, []Envelope{{2, []byte("m4")}, {1, []byte("m5")}}, out.Send)
	require.Equal(t, []Chosen{{Slot: 1, Value: "v"}}, out.Chosen)

	o.SendDurable([]byte("at once"), 1)
	o.ChooseNoop(2, "")
	out = o.TakeOutput()
	require.Equal(t, []Envelope{{1, []byte("at once")}}, out.Send)
	require.Equal(t, []Chosen{{Slot: 2, Commands: []string{}}}, out.Chosen)
	o.Record([]byte("r6"), []byte("m6"), 1)
	o.SendDurable([]byte("after r6"), 2)
	require.Empty(t, o.TakeOutput().Send)
	o.Durable(time.Time{}, 6)
	require.Equal(t, []Envelope{{1, []byte("m6")}, {2, []byte("after r6")}}, o.TakeOutput().Send)
}
