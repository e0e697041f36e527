package rows_test

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// breaks requires that f breaks the invariant.
func breaks(t *testing.T, id invariant.ID, f func()) {
	t.Helper()
	v := invariant.Caught(f)
	require.NotNil(t, v, "no invariant was broken")
	require.Equal(t, id, v.ID)
}

var secret = [32]byte{1, 31: 2}

// cell has one row of each family.
func cell() (*db.DB, *db.Txn) {
	d := db.New()
	tx := d.Begin()
	rows.NextNumber(tx)
	rows.NextEpoch(tx, 3, rows.Ballot{Round: 7, Node: 3})
	rows.OpenSession(tx, 5, api.Nonce{1, 2}, "ann")
	rows.RaiseAckedThrough(tx, 5, 8)
	rows.PutAnswer(tx, 5, 9, api.Result{Code: api.OK, Found: true, Value: "v"})
	rows.SetConstant(tx, "rho", "500")
	rows.SetSecret(tx, secret)
	rows.SetLongestLease(tx, 12*time.Second)
	rows.SetBackup(tx, rows.Backup{Slot: 300, Elapsed: 12 * time.Second})
	rows.SetMaxSessions(tx, 1<<16)
	tx.Put(rows.UserKey("k"), "v")
	return d, tx
}

// The bytes are a contract: they stand in snapshots, and replicas compare their
// checksums.
func TestTheRowsArePinned(t *testing.T) {
	d, tx := cell()
	tx.Commit()
	want := []string{
		"61", "01" + "0000000000010000",
		"63" + hex.EncodeToString([]byte("rho")), "01" + hex.EncodeToString([]byte("500")),
		"64" + "0000000000000005" + "0000000000000009", "02" + "01" + "01" + "0176" + "00" + "00" + "00",
		"65", "01" + "0000000000000001" + "0000000000000003" + "0000000000000007" + "0000000000000003",
		"68", "01" + "01" + strings.Repeat("00", 30) + "02",
		"6b", "01" + "000000000000012c" + "0000000000002ee0",
		"6d", "01" + "0000000000002ee0",
		"6e", "01" + "0000000000000001" + "0000000000000001",
		"6f" + "0000000000000001" + "0000000000000002" + hex.EncodeToString([]byte("ann")), "01" + "0000000000000005",
		"73" + "0000000000000005", "02" + "0000000000000001" + "0000000000000002" + "0000000000000008" + hex.EncodeToString([]byte("ann")),
		"75" + "6b", "76",
	}
	var got []string
	for k, v := range d.Ascend("", "") {
		got = append(got, hex.EncodeToString([]byte(k)), hex.EncodeToString([]byte(v)))
	}
	require.Equal(t, want, got)
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	_, tx := cell()
	require.Equal(t, rows.Totals{Commands: 1, Sessions: 1}, rows.GetTotals(tx))
	require.Equal(t, rows.Epoch{Number: 1, Master: 3, Ballot: rows.Ballot{Round: 7, Node: 3}}, rows.GetEpoch(tx))
	s, ok := rows.GetSession(tx, 5)
	require.True(t, ok)
	require.Equal(t, rows.Session{Nonce: api.Nonce{1, 2}, AckedThrough: 8, Principal: "ann"}, s)
	id, ok := rows.SessionByNonce(tx, api.Nonce{1, 2}, "ann")
	require.True(t, ok)
	require.EqualValues(t, 5, id)
	a, ok := rows.GetAnswer(tx, 5, 9)
	require.True(t, ok)
	require.Equal(t, api.Result{Code: api.OK, Found: true, Value: "v"}, a)
	got, ok := rows.GetSecret(tx)
	require.True(t, ok)
	require.Equal(t, secret, got)
	require.Equal(t, 12*time.Second, rows.GetLongestLease(tx))
	require.Equal(t, rows.Backup{Slot: 300, Elapsed: 12 * time.Second}, rows.GetBackup(tx))
	require.EqualValues(t, 1<<16, rows.GetMaxSessions(tx))
	require.NoError(t, rows.Audit(tx))
}

func TestANewCellHasNothing(t *testing.T) {
	d := db.New()
	require.Zero(t, rows.GetTotals(d))
	require.Zero(t, rows.GetEpoch(d))
	_, ok := rows.GetSession(d, 1)
	require.False(t, ok)
	_, ok = rows.SessionByNonce(d, api.Nonce{}, "")
	require.False(t, ok)
	_, ok = rows.GetAnswer(d, 1, 1)
	require.False(t, ok)
	_, ok = rows.GetConstant(d, "rho")
	require.False(t, ok)
	_, ok = rows.GetSecret(d)
	require.False(t, ok)
	require.Zero(t, rows.GetLongestLease(d))
	require.Zero(t, rows.GetBackup(d))
	require.EqualValues(t, rows.MaxSessions, rows.GetMaxSessions(d))
	require.NoError(t, rows.Audit(d))
}

// No key that a user can choose is a key of a system family or lies within the range of one.
func TestUserKeysTouchNoSystemRow(t *testing.T) {
	d, tx := cell()
	tx.Commit()
	for system := range d.Ascend("", "") {
		k, ok := rows.ParseKey(rows.UserKey(system))
		require.True(t, ok)
		require.Equal(t, rows.Key{Family: rows.FamilyUser, Name: system}, k)
		if _, exists := d.Get(rows.UserKey(system)); exists {
			require.Equal(t, "k", system, "the one key that a user has chosen")
		}
	}
}

func TestKeysAreTakenApart(t *testing.T) {
	d, tx := cell()
	tx.Commit()
	var got []rows.Key
	for key := range d.Ascend("", "") {
		k, ok := rows.ParseKey(key)
		require.True(t, ok)
		got = append(got, k)
	}
	require.Equal(t, []rows.Key{
		{Family: rows.FamilyAlive},
		{Family: rows.FamilyConstant, Name: "rho"},
		{Family: rows.FamilyAnswer, Session: 5, Seq: 9},
		{Family: rows.FamilyEpoch},
		{Family: rows.FamilySecret},
		{Family: rows.FamilyBackup},
		{Family: rows.FamilyLease},
		{Family: rows.FamilyTotals},
		{Family: rows.FamilyOpener, Nonce: api.Nonce{1, 2}, Principal: "ann"},
		{Family: rows.FamilySession, Session: 5},
		{Family: rows.FamilyUser, Name: "k"},
	}, got)
	for _, key := range []string{"", "x", "nn", "e1", "h1", "m1", "k1", "s", "s1234567", "s123456789", "o12345678", "d12345678", "d12345678123456789"} {
		_, ok := rows.ParseKey(key)
		require.False(t, ok, "%q", key)
	}
}

func TestNumbersAndEpochsRiseByOne(t *testing.T) {
	tx := db.New().Begin()
	for i := range 5 {
		require.EqualValues(t, i+1, rows.NextNumber(tx))
		e := rows.NextEpoch(tx, 2, rows.Ballot{Round: 9, Node: 2}) // the same ballot each time
		require.EqualValues(t, i+1, e.Number)
		require.Equal(t, e, rows.GetEpoch(tx))
	}
}

func TestAConstantIsSetOnce(t *testing.T) {
	tx := db.New().Begin()
	require.Equal(t, "500", rows.SetConstant(tx, "rho", "500"))
	require.Equal(t, "500", rows.SetConstant(tx, "rho", "900"))
	value, ok := rows.GetConstant(tx, "rho")
	require.True(t, ok)
	require.Equal(t, "500", value)
	require.Equal(t, "", rows.SetConstant(tx, "empty", ""))
	value, ok = rows.GetConstant(tx, "empty")
	require.True(t, ok)
	require.Empty(t, value)
}

// SetBackup records newer backups and longer times only.
func TestWhatIsRecordedOfBackupsOnlyGrows(t *testing.T) {
	tx := db.New().Begin()
	last := rows.Backup{}
	for _, c := range []struct {
		b    rows.Backup
		want bool
	}{
		{rows.Backup{}, false},
		{rows.Backup{Elapsed: time.Millisecond - 1}, false}, // rounded down
		{rows.Backup{Elapsed: time.Minute}, true},
		{rows.Backup{Slot: 7, Elapsed: time.Second}, true},
		{rows.Backup{Slot: 7, Elapsed: time.Second}, false},
		{rows.Backup{Slot: 7, Elapsed: time.Hour}, true},
		{rows.Backup{Slot: 7, Elapsed: time.Second}, false},
		{rows.Backup{Slot: 6, Elapsed: 2 * time.Hour}, false},
		{rows.Backup{Slot: 8}, true},
	} {
		require.Equal(t, c.want, rows.SetBackup(tx, c.b), "%+v after %+v", c.b, last)
		if c.want {
			last = c.b
		}
		require.Equal(t, last, rows.GetBackup(tx))
	}
}

func TestALongestLeaseIsTakenUpwards(t *testing.T) {
	tx := db.New().Begin()
	for d, want := range map[time.Duration]time.Duration{
		0: 0, 1: time.Millisecond, time.Millisecond: time.Millisecond, time.Second + 1: 1001 * time.Millisecond,
	} {
		rows.SetLongestLease(tx, d)
		require.Equal(t, want, rows.GetLongestLease(tx), d)
	}
}

func TestSeenDropsTheAnswersUpToItAndNoOthers(t *testing.T) {
	tx := db.New().Begin()
	for id := api.SessionID(1); id <= 3; id++ {
		rows.OpenSession(tx, id, api.Nonce{uint64(id)}, "ann")
		for seq := api.Seq(1); seq <= 5; seq++ {
			rows.PutAnswer(tx, id, seq, api.Result{Code: api.OK})
		}
	}
	rows.RaiseAckedThrough(tx, 2, 3)
	rows.RaiseAckedThrough(tx, 2, 1) // no way back
	for id := api.SessionID(1); id <= 3; id++ {
		for seq := api.Seq(1); seq <= 5; seq++ {
			_, ok := rows.GetAnswer(tx, id, seq)
			require.Equal(t, id != 2 || seq > 3, ok, "%d/%d", id, seq)
		}
	}
	s, _ := rows.GetSession(tx, 2)
	require.Equal(t, rows.Session{Nonce: api.Nonce{2}, AckedThrough: 3, Principal: "ann"}, s)
	require.NoError(t, rows.Audit(tx))
}

func TestTheEndOfASessionTakesAllItsRows(t *testing.T) {
	d, tx := cell()
	rows.OpenSession(tx, 6, api.Nonce{6}, "bob")
	rows.PutAnswer(tx, 6, 1, api.Result{Code: api.OK})
	rows.EndSession(tx, 5)
	require.NoError(t, rows.Audit(tx))
	require.EqualValues(t, 1, rows.GetTotals(tx).Sessions)
	tx.Commit()
	for key := range d.Ascend("", "") {
		k, _ := rows.ParseKey(key)
		require.NotEqual(t, api.SessionID(5), k.Session)
		require.NotEqual(t, api.Nonce{1, 2}, k.Nonce)
	}
	_, ok := rows.GetAnswer(d, 6, 1)
	require.True(t, ok)
}

// A key among the sessions that names no session is not listed; Audit reports it.
func TestOnlySessionsAreListed(t *testing.T) {
	tx := db.New().Begin()
	rows.OpenSession(tx, 5, api.Nonce{1, 2}, "ann")
	tx.Put("s~~~~~~~~~~~~~~~~", "x")
	var ids []api.SessionID
	for id := range rows.Sessions(tx) {
		ids = append(ids, id)
	}
	require.Equal(t, []api.SessionID{5}, ids)
	require.ErrorContains(t, rows.Audit(tx), "I-R1")
}

func TestBrokenPromises(t *testing.T) {
	ok := api.Result{Code: api.OK}
	for name, c := range map[string]struct {
		id invariant.ID
		do func(tx *db.Txn)
	}{
		"a session opens over another":   {"I-R5", func(tx *db.Txn) { rows.OpenSession(tx, 5, api.Nonce{9}, "") }},
		"a nonce opens a second session": {"I-R5", func(tx *db.Txn) { rows.OpenSession(tx, 6, api.Nonce{1, 2}, "ann") }},
		"a session ends twice":           {"I-R5", func(tx *db.Txn) { rows.EndSession(tx, 6) }},
		"a call is executed twice":       {"I-R4", func(tx *db.Txn) { rows.PutAnswer(tx, 5, 9, ok) }},
		"a seen call is executed":        {"I-R4", func(tx *db.Txn) { rows.PutAnswer(tx, 5, 8, ok) }},
		"an answer beyond the window":    {"I-R4", func(tx *db.Txn) { rows.PutAnswer(tx, 5, 8+api.MaxWindow+1, ok) }},
		"an answer without a session":    {"I-R4", func(tx *db.Txn) { rows.PutAnswer(tx, 6, 1, ok) }},
		"Seen without a session":         {"I-R4", func(tx *db.Txn) { rows.RaiseAckedThrough(tx, 6, 1) }},
		"a second secret":                {"I-R8", func(tx *db.Txn) { rows.SetSecret(tx, secret) }},
	} {
		t.Run(name, func(t *testing.T) {
			_, tx := cell()
			breaks(t, c.id, func() { c.do(tx) })
		})
	}
}

// A system row that is cut short, empty or of another version is noticed by the function that reads
// it.
func TestAnUnreadableSystemRowIsNeverTakenForAnother(t *testing.T) {
	d, tx := cell()
	tx.Commit()
	for key, value := range d.View().Ascend("", "") {
		k, _ := rows.ParseKey(key)
		if k.Family == rows.FamilyUser {
			continue
		}
		for _, bad := range []string{"", "\x09" + value[1:], value[:len(value)/2], value[:len(value)-1], value + "x"} {
			if k.Family == rows.FamilyConstant && bad != "" && bad[0] == 1 {
				continue // any bytes after the version are a value
			}
			if k.Family == rows.FamilySession && len(bad) > 25 && bad[0] == 2 {
				continue // a principal of another name
			}
			tx := d.Begin()
			tx.Put(key, bad)
			breaks(t, "I-R1", func() {
				rows.GetTotals(tx)
				rows.GetEpoch(tx)
				rows.GetSession(tx, 5)
				rows.SessionByNonce(tx, api.Nonce{1, 2}, "ann")
				rows.GetAnswer(tx, 5, 9)
				rows.GetConstant(tx, "rho")
				rows.GetSecret(tx)
				rows.GetLongestLease(tx)
				rows.GetBackup(tx)
				rows.GetMaxSessions(tx)
			})
			tx.Rollback()
		}
	}
}

func TestTheAuditFindsWhatIsWrong(t *testing.T) {
	forge := func(family byte, numbers ...byte) string {
		b := []byte{family}
		for _, n := range numbers {
			b = append(b, 0, 0, 0, 0, 0, 0, 0, n)
		}
		return string(b)
	}
	for name, c := range map[string]struct {
		want string
		do   func(tx *db.Txn)
	}{
		"a key of no family's": {"I-R1", func(tx *db.Txn) { tx.Put("nn", "") }},
		"a session of no principal": {"I-R1", func(tx *db.Txn) {
			tx.Put(forge('s', 5), forge(2, 1, 2, 8)+"a b")
			tx.Delete(forge('o', 1, 2) + "ann")
			tx.Put(forge('o', 1, 2)+"a b", forge(1, 5))
		}},
		"an answer that was seen":     {"I-R4", func(tx *db.Txn) { tx.Put(forge('d', 5, 8), "\x01\x01\x00\x00\x00\x00") }},
		"an answer of no session":     {"I-R4", func(tx *db.Txn) { tx.Put(forge('d', 9, 1), "\x01\x01\x00\x00\x00\x00") }},
		"a session without an opener": {"I-R5", func(tx *db.Txn) { tx.Delete(forge('o', 1, 2) + "ann") }},
		"an opener without a session": {"I-R5", func(tx *db.Txn) { tx.Put(forge('o', 3, 4), forge(1, 5)) }},
		"a session that is not counted": {"I-R5", func(tx *db.Txn) {
			tx.Put(forge('s', 6), forge(2, 0, 6, 0))
			tx.Put(forge('o', 0, 6), forge(1, 6))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, tx := cell()
			require.NoError(t, rows.Audit(tx))
			c.do(tx)
			require.ErrorContains(t, rows.Audit(tx), c.want)
		})
	}
}
