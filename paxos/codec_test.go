package paxos

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// goldenMessages pin the wire: version, kind, then the fields as unsigned
// varints. A change of any line is a new wire version.
var goldenMessages = []struct {
	m   Message
	hex string
}{
	{Prepare{Ballot: Ballot{2, 1}, Boot: 3, From: 7}, "02 01 02 01 03 07"},
	{Promise{Ballot: Ballot{2, 1}, Boot: 3, Page: Range{7, MaxSlot}, FirstOpen: 7, Votes: []Vote{
		{Slot: 7, Ballot: Ballot{1, 2}, Value: "\x01a"}, {Slot: 8, Ballot: Ballot{1, 2}, Lost: true}, {Slot: 300, Ballot: Ballot{1, 2}},
	}}, "02 02 02 01 03 07 00 03 07 01 02 00 02 01 61 08 01 02 01 ac 02 01 02 00 00 07"},
	{Promise{Ballot: Ballot{2, 1}, Boot: 3, Page: Range{7, 9}, FirstOpen: 7}, "02 02 02 01 03 07 09 00 07"},
	{Accept{Ballot: Ballot{2, 1}, Boot: 3, Slot: 9, Value: "\x01a\x02bc"}, "02 03 02 01 03 09 05 01 61 02 62 63"},
	{Accept{Ballot: Ballot{2, 1}, Boot: 3, Slot: 9}, "02 03 02 01 03 09 00"},
	{Accepted{Ballot: Ballot{2, 1}, Boot: 3, Slot: 9}, "02 04 02 01 03 09"},
	{Nack{Ballot: Ballot{2, 1}, Boot: 3, Slot: 9, Promised: Ballot{3, 2}}, "02 05 02 01 03 09 03 02"},
	{Chosen{Ballot: Ballot{2, 1}, Slots: Range{7, 10}}, "02 06 02 01 07 0a"},
	{Heartbeat{Ballot: Ballot{2, 1}, Boot: 3, Seq: 12, FirstOpen: 10}, "02 07 02 01 03 0c 0a 00 00"},
	{Heartbeat{Ballot: Ballot{2, 1}, Boot: 3, Seq: 12, FirstOpen: 10, Lease: Lease{Grant: 300, Rho: 200}}, "02 07 02 01 03 0c 0a ac 02 c8 01"},
	{HeartbeatReply{Ballot: Ballot{2, 1}, Boot: 3, Seq: 12, FirstOpen: 9}, "02 08 02 01 03 0c 09 00"},
	{HeartbeatReply{Ballot: Ballot{2, 1}, Boot: 3, Seq: 12, FirstOpen: 9, Granted: true}, "02 08 02 01 03 0c 09 01"},
	{LeaseRejection{Ballot: Ballot{2, 1}, Boot: 3, Slot: 9, Left: 300}, "02 0b 02 01 03 09 ac 02"},
	{Released{Ballot: Ballot{2, 1}, Boot: 3}, "02 0c 02 01 03"},
	{Fetch{Slots: Range{7, 20}}, "02 09 07 14"},
	{FetchReply{From: 7, Values: []Value{"\x01a", Noop}, FirstOpen: 20, Floor: 1}, "02 0a 07 02 02 01 61 00 14 01"},
	{Prepare{Ballot: Ballot{1<<64 - 1, 1<<32 - 1}, Boot: 1<<64 - 1, From: 1<<64 - 2},
		"02 01 ff ff ff ff ff ff ff ff ff 01 ff ff ff ff 0f ff ff ff ff ff ff ff ff ff 01 fe ff ff ff ff ff ff ff ff 01"},
}

// goldenRecords pin the disk: kind, tag, data.
var goldenRecords = []struct {
	r    Record
	kind uint8
	tag  string
	data string
}{
	{Booted{Boot: 3}, 1, "0000000000000003 0000000000000000 00000000", ""},
	{Booted{Boot: 3, Grant: time.Second}, 1, "0000000000000003 000000003b9aca00 00000000", ""},
	{Promised{Ballot: Ballot{2, 1}}, 2, "0000000000000000 0000000000000002 00000001", ""},
	{Voted{Slot: 9, Ballot: Ballot{2, 1}, Value: "\x01a"}, 3, "0000000000000009 0000000000000002 00000001", "\x01a"},
	{Voted{Slot: 9, Ballot: Ballot{2, 1}}, 3, "0000000000000009 0000000000000002 00000001", ""},
	{Learned{Slot: 9, Value: "\x01a"}, 4, "0000000000000009 0000000000000000 00000000", "\x01a"},
	{Settled{Slots: Range{7, 10}}, 5, "0000000000000007 000000000000000a 00000000", ""},
}

func unhex(t testing.TB, s string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return string(b)
}

func TestGoldenMessageBytes(t *testing.T) {
	kinds := map[byte]bool{}
	for _, g := range goldenMessages {
		want := unhex(t, g.hex)
		require.Equal(t, want, string(AppendMessage(nil, g.m)), "%v", g.m)
		require.Equal(t, "before"+want, string(AppendMessage([]byte("before"), g.m)))
		m, err := DecodeMessage(want)
		require.NoError(t, err, "%v", g.m)
		require.Equal(t, g.m, m)
		kinds[want[1]] = true
	}
	require.Len(t, kinds, kindReleased, "every kind of message is pinned")
}

func TestGoldenRecordBytes(t *testing.T) {
	for _, g := range goldenRecords {
		kind, tag, data := EncodeRecord(g.r)
		require.Equal(t, g.kind, kind, "%v", g.r)
		require.Equal(t, unhex(t, g.tag), string(tag[:]), "%v", g.r)
		require.Equal(t, g.data, data, "%v", g.r)
		r, err := DecodeRecord(kind, tag[:], data)
		require.NoError(t, err)
		require.Equal(t, g.r, r)
	}
	require.Panics(t, func() { EncodeRecord(Unreadable{}) })
}

// Every prefix of a message, and every message with a byte too many, is refused
// with ErrMalformed and nothing else.
func TestTruncatedMessagesAreRefused(t *testing.T) {
	for _, g := range goldenMessages {
		whole := unhex(t, g.hex)
		for n := range len(whole) {
			_, err := DecodeMessage(whole[:n])
			require.ErrorIs(t, err, ErrMalformed, "%v cut to %d bytes", g.m, n)
		}
		_, err := DecodeMessage(whole + "\x00")
		require.ErrorIs(t, err, ErrMalformed)
	}
}

func TestMalformedMessagesAreRefused(t *testing.T) {
	for _, c := range []struct{ hex, reason string }{
		{"", "0 bytes"},
		{"01 01 02 01 03 07", "version 1, this program speaks 2"},
		{"02 07 02 01 03 0c 0a ff ff ff ff ff ff ff ff ff 01 00", "cut short or out of range"}, // a grant of 2^64-1 ns
		{"02 07 02 01 03 0c 0a 80 80 c8 b9 dd dd 01 00", "Lease.Grant"},                        // of a day and more
		{"02 0b 02 01 03 09 00", "rejected because of a grant for no time"},
		{"02 63 02", "unknown kind 99"},
		{"02 00", "unknown kind 0"},
		{"02 01 02 00 03 07", "ballot without a node"},
		{"02 01 02 01 00 07", "boot number 0"},
		{"02 01 02 01 03 00", "slot out of range"},
		{"02 01 02 80 80 80 80 10 03 07", "cut short or out of range"},                   // node 1<<32
		{"02 01 80 80 80 80 80 80 80 80 80 02 01 03 07", "cut short or out of range"},    // round 1<<64
		{"02 02 02 01 03 07 00 ff ff ff ff 0f", "cut short or out of range"},             // four billion votes
		{"02 0a 07 ff ff ff ff ff ff ff ff 7f 14 01", "cut short or out of range"},       // as many values
		{"02 02 02 01 03 07 09 01 07 01 02 02 00 07", "cut short or out of range"},       // a vote neither lost nor not
		{"02 02 02 01 03 07 09 01 09 01 02 01 07", "vote outside its page"},              //
		{"02 02 02 01 03 07 09 02 08 01 02 01 07 01 02 01 07", "vote outside its page"},  // out of order
		{"02 02 02 01 03 07 09 01 07 03 02 01 07", "vote above the promise"},             //
		{"02 02 02 01 03 07 09 01 07 01 00 01 07", "vote without a ballot"},              //
		{"02 02 02 01 03 09 07 00 07", "empty range of slots"},                           //
		{"02 03 02 01 03 09 02 05 61", "malformed value"},                                // a command cut short
		{"02 05 02 01 03 09 02 01", "refused without a higher promise"},                  //
		{"02 06 02 01 0a 07", "empty range of slots"},                                    //
		{"02 06 02 01 07 00", "slot out of range"},                                       // chosen for ever
		{"02 0a 07 01 02 05 61 14 01", "malformed value"},                                //
		{"02 02 02 01 03 07 09 01 07 01 02 00 02 05 61 07", "malformed value"},           //
		{"02 08 02 01 03 0c 00 00", "slot out of range"},                                 //
		{"02 09 00 05", "empty range of slots"},                                          //
		{"02 04 02 01 03 ff ff ff ff ff ff ff ff ff 01", "slot out of range"},            // the open end is no slot
		{"02 07 02 01 03 80 80 80 80 80 80 80 80 80 80 01", "cut short or out of range"}, // a number of eleven bytes
	} {
		_, err := DecodeMessage(unhex(t, c.hex))
		require.ErrorIs(t, err, ErrMalformed, c.hex)
		require.ErrorContains(t, err, c.reason, c.hex)
	}
}

func TestMalformedRecordsAreRefused(t *testing.T) {
	tag := func(a, b, c string) []byte {
		return []byte(unhex(t, strings.Repeat("00", 7)+a+strings.Repeat("00", 7)+b+"000000"+c))
	}
	for _, c := range []struct {
		kind uint8
		tag  []byte
		data string
	}{
		{0, tag("01", "01", "01"), ""},
		{99, tag("01", "01", "01"), ""},
		{RecordVoted, nil, ""},
		{RecordVoted, tag("00", "01", "01"), ""},
		{RecordVoted, tag("01", "00", "00"), ""},
		{RecordVoted, tag("01", "01", "01"), "\x05a"},
		{RecordLearned, tag("00", "00", "00"), ""},
		{RecordLearned, tag("01", "00", "00"), "\x05a"},
		{RecordSettled, tag("05", "05", "00"), ""},
		{RecordSettled, tag("00", "05", "00"), ""},
	} {
		_, err := DecodeRecord(c.kind, c.tag, c.data)
		require.Error(t, err, "%+v", c)
	}
	u, err := DecodeUnreadable(RecordVoted, tag("09", "02", "01"))
	require.NoError(t, err)
	require.Equal(t, Unreadable{Slot: 9, Ballot: Ballot{2, 1}}, u)
	u, err = DecodeUnreadable(RecordLearned, tag("09", "00", "00"))
	require.NoError(t, err)
	require.Equal(t, Unlearned{Slot: 9}, u)
	require.Panics(t, func() { EncodeRecord(u) })
	for _, kind := range []uint8{RecordBooted, RecordPromised, RecordSettled} {
		_, err := DecodeUnreadable(kind, tag("09", "02", "01"))
		require.ErrorContains(t, err, "only a vote or a learned value can be missed")
	}
	_, err = DecodeUnreadable(RecordVoted, tag("00", "02", "01"))
	require.Error(t, err)
}

// Values: batches add up, and String tells values apart without their bytes.
func TestValueTable(t *testing.T) {
	a, b := Batch([]byte("a"), nil), Batch([]byte("b"))
	require.Equal(t, Value("\x01a\x00"), a)
	require.Equal(t, Batch([]byte("a"), nil, []byte("b")), a+b)
	require.Equal(t, 3, (a + b).Len())
	require.Equal(t, Noop, Batch())
	require.Zero(t, Noop.Len())
	require.Equal(t, "noop", Noop.String())
	require.NotEqual(t, a.String(), b.String())
	var got []string
	for i, c := range (a + b).Commands {
		require.Equal(t, len(got), i)
		if got = append(got, c); len(got) == 2 {
			break
		}
	}
	require.Equal(t, []string{"a", ""}, got)
	for _, bad := range []Value{"\x02a", "\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01a", "\x01a\x05"} {
		require.False(t, bad.Valid(), "%q", string(bad))
	}
	require.Equal(t, 1, Value("\x01a\x05").Len(), "iteration stops at malformed bytes")
}
