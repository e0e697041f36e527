package sim

import "github.com/chubbycell/chubby/internal/draw"

// Tape records where in its stream each draw of one fault begins. Faults of a kind share one
// stream, and which fault draws next depends on everything before. Played from its tape, a fault
// draws what it drew when the tape was made, whichever other faults are left out.
type Tape []uint64

// head is a position on a tape.
type head struct {
	stream *draw.Stream
	tape   *Tape
	play   bool // the tape is played, not recorded
	at     int
	more   *draw.Stream // used beyond the end of a played tape
}

// next returns the stream at the place of the next draw.
func (h *head) next() *draw.Stream {
	if !h.play {
		*h.tape = append(*h.tape, h.stream.Count())
		return h.stream
	}
	if h.at == len(*h.tape) {
		return h.more
	}
	h.stream.Seek((*h.tape)[h.at])
	h.at++
	return h.stream
}

// Taped returns a Draw from the same stream as d that draws what d would, and records on t where
// each of its draws begins.
func (d *Draw) Taped(t *Tape) *Draw {
	return &Draw{head: &head{stream: &d.s, tape: t}}
}

// Played returns a Draw that draws, in the same order, what was drawn from the stream of d when t
// was made; beyond the end of t it draws from more. It does not change d.
func (d *Draw) Played(t Tape, more *Draw) *Draw {
	stream := d.s
	return &Draw{head: &head{stream: &stream, tape: &t, play: true, more: &more.s}}
}
