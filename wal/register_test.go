package wal_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

func openRegister(t *testing.T, m *vfs.Mem) (*wal.Register, string) {
	t.Helper()
	r, v, err := wal.OpenRegister(m, ".", "promise")
	require.NoError(t, err)
	return r, string(v)
}

func TestARegisterHoldsItsLastValue(t *testing.T) {
	m := vfs.NewMem()
	r, v, err := wal.OpenRegister(m, ".", "promise")
	require.NoError(t, err)
	require.Nil(t, v, "never written")
	for _, value := range []string{"one", "", "a longer third value", "4"} {
		require.NoError(t, r.Write([]byte(value)))
		m.Crash(vfs.KeepNothing)
		var got []byte
		r, got, err = wal.OpenRegister(m, ".", "promise")
		require.NoError(t, err)
		require.NotNil(t, got)
		require.Equal(t, value, string(got))
		require.Empty(t, r.Repaired())
	}
	require.ErrorContains(t, r.Write(make([]byte, wal.MaxValue+1)), "at most")
	require.NoError(t, r.Write([]byte("still works")))
	require.NoError(t, r.Close())
	require.ErrorIs(t, r.Write(nil), wal.ErrClosed)
}

// Each call of a sequence of writes is the last one of its machine or process,
// then a call of the opening is, and once more; no acknowledged value is lost and
// none is made up.
func TestARegisterSurvivesDeathAtEveryCall(t *testing.T) {
	for name, crash := range crashes {
		for next, then := range crashes {
			t.Run(name+", then "+next, func(t *testing.T) {
				for n := 1; n <= 40; n++ {
					for again := 1; again <= 12; again++ {
						registerLife(t, crash, then, n, again)
					}
				}
			})
		}
	}
}

func registerLife(t *testing.T, crash, then func(*vfs.Mem, uint64), n, again int) {
	m, seed := vfs.NewMem(), uint64(n*100+again)
	acked, tried := 0, 0
	vfstest.DieAt(m, n, func() { crash(m, seed) })
	if r, _, err := wal.OpenRegister(m, ".", "promise"); err == nil {
		for tried < 8 && err == nil {
			tried++
			if err = r.Write(registerValue(tried)); err == nil {
				acked = tried
			}
		}
	}
	vfstest.DieAt(m, again, func() { then(m, seed+1) })
	_, _, err := wal.OpenRegister(m, ".", "promise")
	require.True(t, err == nil || vfstest.IsDeath(err), "%v", err)
	m.SetFault(nil)
	m.Crash(vfs.KeepAll)
	_, v, err := wal.OpenRegister(m, ".", "promise")
	require.NoError(t, err)
	got := registerNumber(t, v)
	require.True(t, acked <= got && got <= tried, "%d of [%d, %d]", got, acked, tried)
	m.Crash(vfs.KeepNothing)
	r, v, err := wal.OpenRegister(m, ".", "promise")
	require.NoError(t, err)
	require.Equal(t, got, registerNumber(t, v), "what Open returned is durable")
	require.NoError(t, r.Write(registerValue(99)))
}

func registerValue(i int) []byte { return fmt.Appendf(nil, "%0*d", 10*i, i) }

func registerNumber(t *testing.T, v []byte) (i int) {
	t.Helper()
	if v != nil {
		_, err := fmt.Sscanf(string(v), "%d", &i)
		require.NoError(t, err)
		require.Equal(t, string(registerValue(i)), string(v))
	}
	return i
}

func TestARegisterOutlivesEitherCopy(t *testing.T) {
	harms := map[string]func(m *vfs.Mem, name string) error{
		"rot":   func(m *vfs.Mem, name string) error { return m.Corrupt(name, 22, 1) },
		"gone":  func(m *vfs.Mem, name string) error { return m.Remove(name) },
		"empty": func(m *vfs.Mem, name string) error { return truncate(m, name, 0) },
		"short": func(m *vfs.Mem, name string) error { return truncate(m, name, 23) },
	}
	for what, harm := range harms {
		for _, name := range []string{"promise.a", "promise.b"} {
			t.Run(what+" "+name, func(t *testing.T) {
				m := vfs.NewMem()
				r, _ := openRegister(t, m)
				require.NoError(t, r.Write([]byte("before")))
				require.NoError(t, r.Write([]byte("value")))
				require.NoError(t, harm(m, name))
				r, v := openRegister(t, m)
				require.Equal(t, "value", v)
				require.Equal(t, []string{name}, r.Repaired())
				m.Crash(vfs.KeepNothing)
				r, v = openRegister(t, m)
				require.Equal(t, "value", v)
				require.Empty(t, r.Repaired())
				require.NoError(t, r.Write([]byte("next")))
			})
		}
		t.Run(what+" both", func(t *testing.T) {
			m := vfs.NewMem()
			r, _ := openRegister(t, m)
			require.NoError(t, r.Write([]byte("before")))
			require.NoError(t, r.Write([]byte("value")))
			require.NoError(t, harm(m, "promise.a"))
			require.NoError(t, m.Corrupt("promise.b", 22, 1))
			_, _, err := wal.OpenRegister(m, ".", "promise")
			require.ErrorIs(t, err, wal.ErrDamaged)
		})
	}
}

func TestARottenFirstCopyWithoutASecondIsNoFirstWrite(t *testing.T) {
	m := vfs.NewMem()
	r, _ := openRegister(t, m)
	require.NoError(t, r.Write([]byte("before")))
	require.NoError(t, r.Write([]byte("value")))
	require.NoError(t, m.Corrupt("promise.a", 22, 1))
	require.NoError(t, m.Remove("promise.b"))
	_, _, err := wal.OpenRegister(m, ".", "promise")
	require.ErrorIs(t, err, wal.ErrDamaged)
}

func TestALostWriteToOneCopyOfARegister(t *testing.T) {
	for _, name := range []string{"promise.a", "promise.b"} {
		m := vfs.NewMem()
		r, _ := openRegister(t, m)
		require.NoError(t, r.Write([]byte("old")))
		m.SetFault(func(c vfs.Call) vfs.Fault { return vfs.Fault{Lose: c.Op == vfs.OpWriteAt && c.Name == name} })
		require.NoError(t, r.Write([]byte("new")))
		m.SetFault(nil)
		m.Crash(vfs.KeepNothing)
		r, v := openRegister(t, m)
		require.Equal(t, "new", v)
		require.Equal(t, []string{name}, r.Repaired())
	}
}

// A copy that cannot be read is as good as rotten while the other can. Where it
// cannot, the error is the disk's: a read may succeed the next time.
func TestACopyThatCannotBeRead(t *testing.T) {
	for _, other := range []string{"good", "rotten", "none"} {
		for i, name := range []string{"promise.a", "promise.b"} {
			m := vfs.NewMem()
			r, _ := openRegister(t, m)
			require.NoError(t, r.Write([]byte("one")))
			require.NoError(t, r.Close())
			require.NoError(t, m.Spoil(name, 0, 1))
			its := []string{"promise.b", "promise.a"}[i]
			switch other {
			case "rotten":
				require.NoError(t, m.Corrupt(its, 21, 1))
			case "none":
				require.NoError(t, m.Remove(its))
			}
			r, v, err := wal.OpenRegister(m, ".", "promise")
			if other != "good" {
				require.ErrorIs(t, err, vfs.ErrIO)
				require.ErrorContains(t, err, name)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, "one", string(v))
			require.Equal(t, []string{name}, r.Repaired())
			_, v, err = wal.OpenRegister(m, ".", "promise")
			require.NoError(t, err, "what was written anew can be read")
			require.Equal(t, "one", string(v))
		}
	}
}

func TestARegisterOfTwoValuesIsDamaged(t *testing.T) {
	m, other := vfs.NewMem(), vfs.NewMem()
	for i, fsys := range []*vfs.Mem{m, other} {
		r, _ := openRegister(t, fsys)
		require.NoError(t, r.Write([]byte{byte(i)}))
	}
	b, err := other.Contents("promise.b")
	require.NoError(t, err)
	h, err := m.Open("promise.b")
	require.NoError(t, err)
	_, err = h.WriteAt(b, 0)
	require.NoError(t, err)
	_, _, err = wal.OpenRegister(m, ".", "promise")
	require.ErrorIs(t, err, wal.ErrDamaged)
}

func TestARegisterErrorIsFinal(t *testing.T) {
	for _, op := range []vfs.Op{vfs.OpWriteAt, vfs.OpSyncData} {
		m := vfs.NewMem()
		r, _ := openRegister(t, m)
		require.NoError(t, r.Write([]byte("old")))
		m.SetFault(func(c vfs.Call) vfs.Fault {
			if c.Op == op {
				return vfs.Fault{Err: vfs.ErrIO, Drop: true}
			}
			return vfs.Fault{}
		})
		require.ErrorIs(t, r.Write([]byte("new")), vfs.ErrIO)
		m.SetFault(nil)
		require.ErrorIs(t, r.Write([]byte("newer")), vfs.ErrIO)
		m.Crash(vfs.KeepNothing)
		_, v := openRegister(t, m)
		require.Equal(t, "old", v)
	}
}

// The write of one copy went astray, and the first read of the other fails: to write
// the older value over the newer one would forget it for good.
func TestAReadThatFailsOnceGivesNoCopyUp(t *testing.T) {
	for _, stale := range []string{".a", ".b"} {
		m := vfs.NewMem()
		r, _ := openRegister(t, m)
		require.NoError(t, r.Write([]byte("old")))
		m.SetFault(func(c vfs.Call) vfs.Fault {
			if c.Op == vfs.OpWriteAt && c.Name == "promise"+stale {
				return vfs.Fault{Astray: &vfs.Place{}}
			}
			return vfs.Fault{}
		})
		require.NoError(t, r.Write([]byte("new")))
		m.Crash(vfs.KeepNothing)
		failed := false
		m.SetFault(func(c vfs.Call) vfs.Fault {
			if c.Op == vfs.OpReadAt && c.Name != "promise"+stale && !failed {
				failed = true
				return vfs.Fault{Err: vfs.ErrIO}
			}
			return vfs.Fault{}
		})
		r, value := openRegister(t, m)
		require.True(t, failed)
		require.Equal(t, "new", value)
		require.Equal(t, []string{"promise" + stale}, r.Repaired())
	}
}
