package db_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/db"
)

// twin is the simplest correct database: a sorted slice.
type twin []row

type row struct{ key, value string }

func (s twin) find(key string) (int, bool) {
	return slices.BinarySearchFunc(s, key, func(r row, k string) int { return strings.Compare(r.key, k) })
}

func (s twin) put(key, value string) twin {
	i, ok := s.find(key)
	if ok {
		s[i].value = value
		return s
	}
	return slices.Insert(s, i, row{key, value})
}

func (s twin) drop(key string) twin {
	if i, ok := s.find(key); ok {
		return slices.Delete(s, i, i+1)
	}
	return s
}

func (s twin) list(from, to, prefix string) (list []string) {
	for _, r := range s {
		if r.key >= from && (to == "" || r.key < to) && strings.HasPrefix(r.key, prefix) {
			list = append(list, r.key, r.value)
		}
	}
	return list
}

type frozen struct {
	view db.View
	rows twin
}

func TestADBIsASortedSlice(t *testing.T) { rapid.Check(t, modelRun) }

func modelRun(t *rapid.T) {
	d, s := db.New(), twin{}
	var views []frozen
	keys := rapid.StringMatching(`[ab/]{0,4}`)
	values := rapid.StringMatching(`[xyz]{0,3}`)
	t.Repeat(map[string]func(*rapid.T){
		"transaction": func(t *rapid.T) {
			tx, after := d.Begin(), slices.Clone(s)
			for range rapid.IntRange(0, 40).Draw(t, "writes") {
				k, v := keys.Draw(t, "key"), values.Draw(t, "value")
				if rapid.IntRange(0, 2).Draw(t, "what") == 0 {
					tx.Delete(k)
					after = after.drop(k)
				} else {
					tx.Put(k, v)
					after = after.put(k, v)
				}
			}
			if rapid.Bool().Draw(t, "commit") {
				tx.Commit()
				s = after
			} else {
				tx.Rollback()
			}
		},
		"multiop": func(t *rapid.T) { s = modelMultiOp(t, d, s, keys, values) },
		"view":    func(t *rapid.T) { views = append(views, frozen{d.View(), slices.Clone(s)}) },
		"reload": func(t *rapid.T) {
			var b bytes.Buffer
			_, err := d.View().WriteChunks(&b, rapid.IntRange(1, 200).Draw(t, "chunk"))
			require.NoError(t, err)
			d, err = db.Load(&b)
			require.NoError(t, err)
			require.Zero(t, b.Len())
		},
		"": func(t *rapid.T) {
			from, to, prefix := keys.Draw(t, "from"), keys.Draw(t, "to"), keys.Draw(t, "prefix")
			require.Equal(t, s.list(from, to, ""), flat(d.Ascend(from, to)))
			require.Equal(t, s.list("", "", prefix), flat(d.Scan(prefix)))
			require.Equal(t, len(s), d.Len())
			d.Verify()
			for _, f := range views {
				require.Equal(t, f.rows.list("", "", ""), flat(f.view.Ascend("", "")))
				require.Equal(t, f.view.Checksum(), f.view.Recompute())
			}
		},
	})
}

// modelMultiOp runs one random MultiOp on both. The twin works on a copy and
// discards it on failure, so it needs no rollback.
func modelMultiOp(t *rapid.T, d *db.DB, s twin, keys, values *rapid.Generator[string]) twin {
	guards := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) db.Guard {
		return db.Guard{Test: db.Test(rapid.IntRange(1, 4).Draw(t, "test")), Key: keys.Draw(t, "gkey"), Value: values.Draw(t, "gvalue")}
	}), 0, 3).Draw(t, "guards")
	ops := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) db.Op {
		return db.Op{Kind: db.Kind(rapid.IntRange(1, 5).Draw(t, "kind")), Key: keys.Draw(t, "okey"), Value: values.Draw(t, "ovalue")}
	}), 0, 6)
	m := db.MultiOp{Guards: guards, Then: ops.Draw(t, "then"), Else: ops.Draw(t, "else")}
	tx := d.Begin()
	got, err := tx.MultiOp(m)
	tx.Commit()
	want, after, failed := s.multiOp(m)
	require.Equal(t, failed, err != nil)
	require.Equal(t, want, got)
	return after
}

func (s twin) multiOp(m db.MultiOp) (r db.Result, after twin, failed bool) {
	r = db.Result{Held: true, Guards: []bool{}}
	for _, g := range m.Guards {
		i, ok := s.find(g.Key)
		same := ok && s[i].value == g.Value
		r.Guards = append(r.Guards, []bool{!ok, ok, same, !same}[g.Test-1])
	}
	list := m.Then
	if slices.Contains(r.Guards, false) {
		r.Held, list = false, m.Else
	}
	after, results := slices.Clone(s), []db.OpResult{}
	for _, op := range list {
		i, ok := after.find(op.Key)
		found := db.OpResult{Found: ok}
		if ok {
			found.Value = after[i].value
		}
		results = append(results, found)
		if op.Kind == db.Insert && ok || op.Kind == db.Remove && !ok {
			return r, s, true
		}
		switch op.Kind {
		case db.Put, db.Insert:
			after = after.put(op.Key, op.Value)
		case db.Delete, db.Remove:
			after = after.drop(op.Key)
		}
	}
	r.Ops = results
	return r, after, false
}
