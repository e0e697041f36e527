package db

import (
	"iter"
	"strings"

	"github.com/tidwall/btree"
)

// View is all rows at one point in time. Views come from DB.View. They are values, cheap to
// copy, and any number of goroutines may read them.
type View struct {
	rows  *btree.Map[string, string]
	sum   Sum
	bytes int64
}

// Get returns the value of a row and whether it exists.
func (v View) Get(key string) (value string, ok bool) { return v.rows.Get(key) }

// Len returns the number of rows.
func (v View) Len() int { return v.rows.Len() }

// Bytes returns the length of all keys and values together.
func (v View) Bytes() int64 { return v.bytes }

// Checksum returns the maintained checksum of all rows, in constant time.
func (v View) Checksum() Sum { return v.sum }

// Recompute computes the checksum from the rows.
func (v View) Recompute() Sum {
	var s Sum
	for key, value := range v.Ascend("", "") {
		s = s.plus(rowSum(key, value))
	}
	return s
}

// Ascend iterates over the rows with from <= key < to in key order; to = "" means no upper
// bound.
func (v View) Ascend(from, to string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		v.rows.Ascend(from, func(key, value string) bool {
			return (to == "" || key < to) && yield(key, value)
		})
	}
}

// Scan iterates over the rows whose key begins with prefix, in key order.
func (v View) Scan(prefix string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		v.rows.Ascend(prefix, func(key, value string) bool {
			return strings.HasPrefix(key, prefix) && yield(key, value)
		})
	}
}

// addRow and removeRow maintain the checksum and size of all rows.
func (v *View) addRow(key, value string) {
	v.sum = v.sum.plus(rowSum(key, value))
	v.bytes += int64(len(key) + len(value))
}

func (v *View) removeRow(key, value string) {
	v.sum = v.sum.minus(rowSum(key, value))
	v.bytes -= int64(len(key) + len(value))
}
