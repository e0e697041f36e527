package driver

import (
	"encoding/binary"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
)

// A SumReport on the wire has a first byte that no message of package paxos has,
// whose first byte is their version:
//
//	0    1    2       10      18      26
//	+----+----+-------+-------+-------+
//	| S  | 1  | slot  | sum A | sum B |     all little endian
//	+----+----+-------+-------+-------+
const (
	sumKind    = 'S'
	sumVersion = 1
	sumSize    = 26
)

// AppendSumReport appends the bytes of r to dst.
func AppendSumReport(dst []byte, r core.SumReport) []byte {
	dst = append(dst, sumKind, sumVersion)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.Slot))
	return appendSum(dst, r.Sum)
}

// DecodeSumReport is the inverse of AppendSumReport; ok is false for bytes that are no
// SumReport.
func DecodeSumReport(wire string) (r core.SumReport, ok bool) {
	if len(wire) != sumSize || wire[0] != sumKind || wire[1] != sumVersion {
		return r, false
	}
	b := []byte(wire[2:])
	r.Slot = paxos.Slot(binary.LittleEndian.Uint64(b))
	r.Sum = db.Sum{A: binary.LittleEndian.Uint64(b[8:]), B: binary.LittleEndian.Uint64(b[16:])}
	return r, r.Slot > 0 && r.Slot < paxos.MaxSlot
}
