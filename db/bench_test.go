package db_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/chubbycell/chubby/db"
)

const million = 1_000_000

// loaded is a database of a million rows of 100 bytes.
func loaded() *db.DB {
	d := db.New()
	t := d.Begin()
	for i := range million {
		t.Put(key(i), strings.Repeat("v", 100-len(key(i))))
	}
	t.Commit()
	return d
}

func BenchmarkApply(b *testing.B) {
	d, value := db.New(), strings.Repeat("v", 89)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		t := d.Begin()
		t.Put(key(i%100_000), value)
		t.Commit()
		i += 7919
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "apply/s")
}

func BenchmarkMultiOp(b *testing.B) {
	d := fill(db.New(), "epoch", "7")
	m := db.MultiOp{
		Guards: []db.Guard{{Test: db.Equal, Key: "epoch", Value: "7"}},
		Then:   []db.Op{{Kind: db.Put, Key: "a", Value: "1"}, {Kind: db.Lookup, Key: "a"}},
	}
	b.ReportAllocs()
	for b.Loop() {
		t := d.Begin()
		if r, err := t.MultiOp(m); err != nil || !r.Held {
			b.Fatal(r, err)
		}
		t.Commit()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "apply/s")
}

// The time of a view must not depend on the number of rows.
func BenchmarkViewOfAMillionRows(b *testing.B) {
	d := loaded()
	var n int
	b.ReportAllocs()
	for b.Loop() {
		n += d.View().Len()
	}
	if n != b.N*million {
		b.Fatal(n)
	}
}

func BenchmarkWriteAMillionRows(b *testing.B) {
	v := loaded().View()
	for b.Loop() {
		n, err := v.WriteTo(io.Discard)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(n)
	}
	b.ReportMetric(float64(b.N)*million/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkLoadAMillionRows(b *testing.B) {
	var s bytes.Buffer
	if _, err := loaded().View().WriteTo(&s); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(s.Len()))
	for b.Loop() {
		if _, err := db.Load(bytes.NewReader(s.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*million/b.Elapsed().Seconds(), "rows/s")
}
