package sim

import "github.com/chubbycell/chubby/internal/draw"

// Tape says where in its stream each draw of one fault begins. Faults of a kind share one
// stream, and which of them draws next depends on all that happened before. Played from its
// tape, a fault draws what it drew when the tape was made, whichever others are left out.
type Tape []uint64

// head is at a place of a tape.
type head struct {
	stream *draw.Stream
	tape   *Tape
	play   bool // the tape is read, not made
	at     int
	more   *draw.Stream // behind the end of a tape that is read
}

// next is the stream at the place of the next draw.
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

// Taped returns a Draw from the same stream as d, which notes on t where each of its draws
// begins. It draws what d would.
func (d *Draw) Taped(t *Tape) *Draw {
	return &Draw{head: &head{stream: &d.s, tape: t}}
}

// Played returns a Draw that draws what was drawn from the stream of d when t was made, in
// the same order; behind the end of t it draws from more. It leaves d as it is.
func (d *Draw) Played(t Tape, more *Draw) *Draw {
	stream := d.s
	return &Draw{head: &head{stream: &stream, tape: &t, play: true, more: &more.s}}
}
