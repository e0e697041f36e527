package sim

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// sum is the trace hash: one number for everything that happened. Each fold is a bijection of the
// sum for a given x, and of x for a given sum. Two runs that differ in one word therefore differ in
// the sum until another difference cancels it.
type sum uint64

func (h *sum) fold(x uint64) {
	*h = sum((bits.RotateLeft64(uint64(*h), 29) ^ x) * 0x9e3779b97f4a7c15)
}

func (h *sum) bytes(b []byte) {
	if len(b) <= 8 {
		var w [8]byte
		copy(w[:], b)
		h.fold(binary.LittleEndian.Uint64(w[:]))
	} else {
		h.fold(xxhash.Sum64(b))
	}
	h.fold(uint64(len(b)))
}

func (h *sum) text(s string) {
	h.fold(xxhash.Sum64String(s))
	h.fold(uint64(len(s)))
}

// Marks that keep the folds of different kinds apart.
const (
	markEvent uint64 = iota + 1
	markSend
	markDeliver
	markDisk
	markClock
	markResult
	markFault
)

// Trace configures the human-readable form of a run: a line for each thing that happened, in fixed
// columns.
//
//	step, true time, machine, its local time, kind, text
//
// Writing a trace changes nothing in the run.
type Trace struct {
	W     io.Writer // nil: no trace
	Node  Addr      // only lines of this machine; 0: of all
	From  uint64    // first step to write
	Until uint64    // last step to write; 0: no end
	// Describe turns the bytes of a message into text; nil prints a short message of text as it is,
	// and of others the length and a hash.
	Describe func(from, to Addr, msg []byte) string
	// Made, if not nil, is called with the new world, so that other writers of lines can read its
	// clocks and steps. It must change nothing in the world.
	Made func(w *World)
}

// tracer writes the requested lines of a Trace.
type tracer struct {
	cfg      Trace
	timeline *timeline
	machines *machines
}

// wants reports whether a line about machine a is wanted now. Callers ask first, so that no line is
// formatted needlessly.
func (t *tracer) wants(a Addr) bool {
	c := &t.cfg
	if c.W == nil || t.timeline.steps < c.From || c.Until > 0 && t.timeline.steps > c.Until {
		return false
	}
	return c.Node == 0 || c.Node == a
}

// line writes one line of the trace.
func (t *tracer) line(a Addr, kind, text string) {
	local := "-"
	if m := t.machines.at(a); m != nil {
		local = stamp(time.Duration(m.clock.line.local(t.timeline.now)))
	}
	_, err := fmt.Fprintf(t.cfg.W, "%9d %17s %8s %17s %-12s %s\n",
		t.timeline.steps, stamp(time.Duration(t.timeline.now)), a, local, kind, strings.ReplaceAll(text, "\n", "\\n"))
	if err != nil {
		t.cfg.W = nil // the reader has gone; the run goes on
	}
}

// describe returns the text of a message.
func (t *tracer) describe(from, to Addr, msg []byte) string {
	if f := t.cfg.Describe; f != nil {
		return f(from, to, msg)
	}
	return asText(msg)
}

// mostText is the number of bytes up to which text is printed whole.
const mostText = 200

// asText prints bytes so that different ones look different: short text as it is.
func asText(b []byte) string {
	isText := len(b) > 0 && len(b) <= mostText && utf8.Valid(b) &&
		!strings.ContainsFunc(string(b), func(r rune) bool { return !unicode.IsPrint(r) })
	if isText {
		return string(b)
	}
	return fmt.Sprintf("%d bytes %016x", len(b), xxhash.Sum64(b))
}

// stamp prints a duration as seconds with nine digits.
func stamp(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	return fmt.Sprintf("%s%d.%09d", sign, d/time.Second, d%time.Second)
}

// Tracef writes a line of kind about machine a (0: about the world) into the human-readable trace.
// It does not enter the hash.
func (w *World) Tracef(a Addr, kind, format string, args ...any) {
	if w.trace.wants(a) {
		w.trace.line(a, kind, fmt.Sprintf(format, args...))
	}
}

// Result folds bytes that a client received into the trace hash. Everything that decides the
// verdict of a run belongs into it.
func (w *World) Result(a Addr, b []byte) {
	w.hash.fold(markResult<<32 | uint64(a))
	w.hash.bytes(b)
	if w.trace.wants(a) {
		w.trace.line(a, "result", fmt.Sprintf("%d bytes %016x", len(b), xxhash.Sum64(b)))
	}
}

// Hash returns the trace hash so far: a function of the seed, the configuration and the code. Equal
// seeds give equal hashes on every machine. Compared Step by Step, it shows the first event at
// which two runs differ.
func (w *World) Hash() uint64 { return uint64(w.hash) }
