package lock_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// used returns a table with a row of every family: A and B share the lock; C, which had shared it,
// failed.
func used(t require.TestingT) *table {
	b := newTable(t)
	b.acquire("A", file, api.Shared, 5000)
	b.acquire("C", file, api.Shared, 9000)
	b.acquire("B", file, api.Shared, 0)
	lock.FailSession(b.tx, b.step(), owners["C"].Session)
	return b
}

// The bytes are a contract: they stand in snapshots, and replicas compare their
// checksums.
func TestTheRowsArePinned(t *testing.T) {
	b := used(t)
	const (
		path     = "2f66" // "/f"
		node     = "0000000000000003" + "0002" + path
		a        = "0000000000000001" + "0000000000000001" + "0000000000000001"
		bb       = "0000000000000002" + "0000000000000001" + "0000000000000003"
		l, h     = "6c" + "6c", "6c" + "68"
		s, d     = "6c" + "73", "6c" + "64"
		instance = "01" + "0000000000000003" + path
	)
	want := []string{
		d + node + "000000000000000d", "01" + "0000000000002328",
		h + node + a, "01" + "0000000000000002" + "000000000000000a" + "0000000000001388",
		h + node + bb, "01" + "0000000000000002" + "000000000000000c" + "0000000000000000",
		l + node, "01" + "000000000000000a" + "0000000000000002" + "0000000000000002" + "0000000000000001",
		s + a, instance,
		s + bb, instance,
	}
	var got []string
	for k, v := range b.tx.Ascend("", "") {
		got = append(got, hex.EncodeToString([]byte(k)), hex.EncodeToString([]byte(v)))
	}
	require.Equal(t, want, got)
}

func TestKeysInWords(t *testing.T) {
	var got []string
	for key := range used(t).tx.Ascend("", "") {
		k, _ := lock.ParseKey(key)
		got = append(got, k.Words())
	}
	require.Equal(t, []string{
		"the lock-delay of /f#3 that command 13 began",
		"handle 1.1 of session 1 holds the lock of /f#3",
		"handle 1.3 of session 2 holds the lock of /f#3",
		"the lock of /f#3",
		"handle 1.1 of session 1 holds a lock",
		"handle 1.3 of session 2 holds a lock",
	}, got)
}

func TestKeysAreTakenApart(t *testing.T) {
	b := used(t)
	var got []lock.Key
	for key := range b.tx.Ascend("", "") {
		require.True(t, strings.HasPrefix(key, lock.Prefix))
		k, ok := lock.ParseKey(key)
		require.True(t, ok)
		got = append(got, lock.Key{Lock: k.Lock, Owner: k.Owner, Freed: k.Freed})
		for n := range len(key) {
			_, ok := lock.ParseKey(key[:n])
			require.False(t, ok, "%q", key[:n])
		}
		_, ok = lock.ParseKey(key + "x")
		require.False(t, ok)
		_, ok = lock.ParseKey("n" + key[1:])
		require.False(t, ok)
	}
	require.Equal(t, []lock.Key{
		{Lock: file, Freed: 13},
		{Lock: file, Owner: owners["A"]},
		{Lock: file, Owner: owners["B"]},
		{Lock: file},
		{Owner: owners["A"]},
		{Owner: owners["B"]},
	}, got)
}

// Paths that begin alike, or have bytes that look like numbers, name different locks.
func TestLocksDoNotMeetInTheRows(t *testing.T) {
	b := newTable(t)
	nodes := []api.Ref{file, ref("/f", 30), ref("/f/f", 3), ref("/", 3), ref("/ff", 3),
		ref(strings.Repeat("/"+strings.Repeat("p", api.MaxComponent), 4), 1<<64-1)}
	for i, n := range nodes {
		o := lock.Owner{Session: api.SessionID(i + 1), Handle: api.HandleID{Epoch: 1, Counter: 1}}
		g, _ := lock.Acquire(b.tx, b.step(), lock.Claim{Lock: n, Owner: o, Mode: api.Exclusive, Delay: 1})
		require.Equal(t, api.OK, g.Code, "%v", n)
	}
	b.audit()
	for i, n := range nodes {
		require.Len(t, lock.Holders(b.tx, n), 1, "%v", n)
		require.EqualValues(t, i+1, lock.Holders(b.tx, n)[0].Owner.Session)
		lock.FailSession(b.tx, b.step(), api.SessionID(i+1))
		require.Len(t, lock.Delays(b.tx), i+1)
	}
	for _, n := range nodes[1:] {
		lock.Forget(b.tx, n)
	}
	require.Equal(t, []lock.Delay{{Lock: file, Freed: 16, Length: 1}}, lock.Delays(b.tx))
	b.audit()
}

// A row that is cut short, empty or of another version is noticed by the function that reads it.
func TestAnUnreadableRowIsNeverTakenForAnother(t *testing.T) {
	b := used(t)
	rows := map[string]string{}
	for key, value := range b.tx.Ascend("", "") {
		rows[key] = value
	}
	for key, value := range rows {
		for _, bad := range []string{"", "\x02" + value[1:], value[:8], value + "x"} {
			if k, _ := lock.ParseKey(key); k.Lock.Instance == 0 && len(bad) > len(value) {
				continue // an index row ends with a path, which may be longer
			}
			mark := b.tx.Mark()
			b.tx.Put(key, bad)
			breaks(t, "I-K1", func() {
				lock.Get(b.tx, file)
				lock.Holders(b.tx, file)
				lock.Delays(b.tx)
				lock.HoldingsOf(b.tx, 1)
				lock.HoldingsOf(b.tx, 2)
			})
			b.tx.RollbackTo(mark)
		}
	}
}

func TestTheAuditFindsWhatIsWrong(t *testing.T) {
	u := func(n byte) string { return "\x00\x00\x00\x00\x00\x00\x00" + string(rune(n)) }
	name := u(3) + "\x00\x02/f"
	state := func(gen, mode, holders, delays byte) string {
		return "\x01" + u(gen) + u(mode) + u(holders) + u(delays)
	}
	a, c := u(1)+u(1)+u(1), u(3)+u(2)+u(1)
	for name, x := range map[string]struct {
		want string
		do   func(tx *db.Txn)
	}{
		"a row of no family":              {"I-K1", func(tx *db.Txn) { tx.Put("lx", "") }},
		"a lock without a path":           {"I-K1", func(tx *db.Txn) { tx.Put("ll"+u(3)+"\x00\x02//", state(0, 0, 0, 0)) }},
		"a lock without a node":           {"I-K1", func(tx *db.Txn) { tx.Put("ll"+u(0)+"\x00\x02/f", state(0, 0, 0, 0)) }},
		"a holder too few":                {"I-K3", func(tx *db.Txn) { tx.Put("ll"+name, state(10, 2, 1, 1)) }},
		"a delay too many":                {"I-K3", func(tx *db.Txn) { tx.Put("ll"+name, state(10, 2, 2, 2)) }},
		"free with holders":               {"I-K3", func(tx *db.Txn) { tx.Put("ll"+name, state(10, 0, 2, 1)) }},
		"exclusive by two":                {"I-K3", func(tx *db.Txn) { tx.Put("ll"+name, state(10, 1, 2, 1)) }},
		"held, without a holder":          {"I-K3", func(tx *db.Txn) { tx.Put("ll"+u(9)+"\x00\x02/g", state(10, 2, 0, 0)) }},
		"held at generation 0":            {"I-K3", func(tx *db.Txn) { tx.Put("ll"+name, state(0, 2, 2, 1)) }},
		"a holder from before":            {"I-K3", func(tx *db.Txn) { tx.Put("ll"+name, state(11, 2, 2, 1)) }},
		"a holder in another mode":        {"I-K3", func(tx *db.Txn) { tx.Put("lh"+name+a, "\x01"+u(1)+u(10)+u(0)) }},
		"holders of a lock without a row": {"I-K3", func(tx *db.Txn) { tx.Delete("ll" + name) }},
		"a hold the index does not know":  {"I-K4", func(tx *db.Txn) { tx.Delete("ls" + a) }},
		"an index row without a hold":     {"I-K4", func(tx *db.Txn) { tx.Put("ls"+c, "\x01"+u(3)+"/f") }},
		"an index row of another lock":    {"I-K4", func(tx *db.Txn) { tx.Put("ls"+a, "\x01"+u(4)+"/f") }},
		"a delay of nothing":              {"I-K5", func(tx *db.Txn) { tx.Put("ld"+name+u(13), "\x01"+u(0)) }},
		"a delay beyond the bound": {"I-K5", func(tx *db.Txn) {
			tx.Put("ld"+name+u(13), "\x01\x00\x00\x00\x00\x00\x00\xea\x61") // 60,001 ms
		}},
		"a hold with a delay beyond the bound": {"I-K5", func(tx *db.Txn) {
			tx.Put("lh"+name+a, "\x01"+u(2)+u(10)+"\x00\x00\x00\x00\x00\x00\xea\x61")
		}},
		"a delay from before": {"I-K5", func(tx *db.Txn) {
			tx.Delete("ld" + name + u(13))
			tx.Put("ld"+name+u(10), "\x01"+u(5))
		}},
		"exclusive while a delay runs": {"I-K5", func(tx *db.Txn) {
			lock.ReleaseSession(tx, 2)
			tx.Put("ll"+name, state(10, 1, 1, 1))
			tx.Put("lh"+name+a, "\x01"+u(1)+u(10)+u(0))
		}},
		"a delay of a lock without a row": {"I-K3", func(tx *db.Txn) {
			lock.Forget(tx, file)
			tx.Put("ld"+u(3)+"\x00\x02/f"+u(13), "\x01"+u(5))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := used(t)
			require.NoError(t, lock.Audit(b.tx))
			x.do(b.tx)
			require.ErrorContains(t, lock.Audit(b.tx), x.want)
		})
	}
}

func TestBrokenPromises(t *testing.T) {
	a := owners["A"]
	claim := lock.Claim{Lock: file, Owner: a, Mode: api.Exclusive}
	b := newTable(t)
	lock.Acquire(b.tx, 10, claim)
	breaks(t, "I-K5", func() { lock.FailHandle(b.tx, 10, a) }) // a failure no later than its grant
	b = newTable(t)
	lock.Acquire(b.tx, 10, claim)
	lock.ReleaseHandle(b.tx, a)
	breaks(t, "I-K2", func() { lock.Acquire(b.tx, 10, claim) }) // a generation twice

	u := func(n byte) string { return "\x00\x00\x00\x00\x00\x00\x00" + string(rune(n)) }
	hold, index := "lh"+u(3)+"\x00\x02/f"+u(1)+u(1)+u(1), "ls"+u(1)+u(1)+u(1)
	for name, f := range map[string]func(tx *db.Txn){
		"the claimer's hold is gone":  func(tx *db.Txn) { tx.Delete(hold); lock.Acquire(tx, 11, claim) },
		"the dead one's hold is gone": func(tx *db.Txn) { tx.Delete(hold); lock.FailSession(tx, 11, 1) },
		"the index row is gone":       func(tx *db.Txn) { tx.Delete(index); lock.Release(tx, file, a, 10) },
		"granted over a hold": func(tx *db.Txn) {
			tx.Delete(index)
			tx.Delete("ll" + u(3) + "\x00\x02/f")
			lock.Acquire(tx, 11, claim)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTable(t)
			lock.Acquire(b.tx, 10, claim)
			breaks(t, "I-K4", func() { f(b.tx) })
		})
	}
	b = newTable(t)
	b.tx.Put("lh"+u(3)+"\x00\x02/f"+u(1), "")
	breaks(t, "I-K1", func() { lock.Holders(b.tx, file) })
}

// Whatever a row's bytes are, reading ends with an answer or with I-K1 or I-K4,
// and a key has one form.
func FuzzRows(f *testing.F) {
	for key, value := range used(f).tx.Ascend("", "") {
		f.Add(key, value)
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		if len(key)+len(value) > 1<<16 {
			return
		}
		b := newTable(t)
		b.tx.Put(lock.Prefix+key, value)
		defer func() {
			if v := recover(); v != nil {
				require.ErrorContains(t, v.(error), "invariant I-K")
			}
		}()
		if err := lock.Audit(b.tx); err != nil {
			require.ErrorContains(t, err, "I-K")
		}
	})
}
