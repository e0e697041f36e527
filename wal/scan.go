package wal

import "bytes"

// frame is a frame that was found where it was expected. It holds offsets, not bytes: recovery
// makes one for each entry of the log.
type frame struct {
	kind      uint8
	good      bool  // the data's checksum holds
	tagged    uint8 // bytes of the tag
	data      int32 // bytes of the data
	lsn       LSN
	watermark LSN
	off, end  int64 // end is where the next frame starts
}

// at returns the frame with this header at off in a segment.
func (h header) at(off int64, good bool) frame {
	return frame{
		kind: h.kind, good: good, tagged: uint8(len(h.tag)), data: int32(h.data),
		lsn: h.lsn, watermark: h.watermark, off: off, end: off + h.size(),
	}
}

// tag and body return where the frame's tag and data lie in its segment.
func (f *frame) tag() (from, to int64) {
	from = f.off + frameFixed
	return from, from + int64(f.tagged)
}

func (f *frame) body() (from, to int64) {
	from = f.off + frameMin + int64(f.tagged)
	return from, from + int64(f.data)
}

// chain is the run of frames at the start of a segment: each begins where the one before ended, has
// the next number, and has a watermark that is not lower.
type chain struct {
	frames    []frame
	end       int64 // of the last one
	next      LSN   // the number that would come next
	salt      salt  // of the segment
	watermark LSN   // the highest stated
}

// scan follows the chain through the bytes of a segment that starts with number first. The caller
// has read the segment's header, and the salt in it. scan puts the frames into room, as far as it
// suffices.
func scan(b []byte, first LSN, s salt, room []frame) chain {
	c := chain{frames: room[:0], end: segmentHeader, next: first, salt: s, watermark: first - 1}
	for {
		h, ok := s.parseHeader(b[c.end:])
		if !ok || !c.isNext(h) {
			return c
		}
		_, good := h.payload(b[c.end:])
		f := h.at(c.end, good)
		c.frames = append(c.frames, f)
		c.end, c.watermark = f.end, f.watermark
		if h.kind != kindMark {
			c.next++
		}
	}
}

func (c *chain) isNext(h header) bool {
	want := c.next
	if h.kind == kindMark {
		want--
	}
	return h.lsn == want && h.watermark >= c.watermark
}

// cutAt removes frame i and all after it.
func (c *chain) cutAt(i int) {
	f := c.frames[i]
	c.frames, c.end, c.next = c.frames[:i], f.off, f.lsn
}

// firstTorn returns the index of the first frame above the watermark whose data is bad, or -1 if
// there is none.
func (c *chain) firstTorn(watermark LSN) int {
	for i := range c.frames {
		if f := &c.frames[i]; !f.good && f.lsn > watermark {
			return i
		}
	}
	return -1
}

// stated returns the watermark of the last frame, or the one that the segment's place in the
// manifest implies.
func (c *chain) stated(first LSN) LSN {
	if n := len(c.frames); n > 0 {
		return c.frames[n-1].watermark
	}
	return first - 1
}

// after returns the offset behind the last entry up to lsn. There need not be an entry at that
// offset: the mark of a failed sync states a valid watermark, and may itself be only in the
// machine's memory.
func (c *chain) after(lsn LSN) int64 {
	at := int64(segmentHeader)
	for i := range c.frames {
		if f := &c.frames[i]; f.kind != kindMark && f.lsn <= lsn {
			at = f.end
		}
	}
	return at
}

// laterWatermark searches b, the bytes behind a broken chain, at every byte for frames that come
// later in the log than the chain. It returns the highest watermark that they state, or 0 if there
// are none. It also searches the data of torn frames, which a client may have chosen: the salt
// keeps such data from counting.
func (c *chain) laterWatermark(b []byte) LSN {
	var found LSN
	last := lastNonZero(b)
	most := c.next + LSN(len(b)/frameMin) // numbers that fit between here and there
	for i := 0; i < last && i+frameMin <= len(b); i++ {
		if b[i+5] > MaxTag || !c.salt.hasStamp(b[i:]) { // most places end here
			continue
		}
		h, ok := c.salt.parseHeader(b[i:])
		if ok && h.lsn+1 >= c.next && h.lsn <= most {
			found = max(found, h.watermark)
		}
	}
	return found
}

// hasWholeBehind reports whether b, which was cut off, holds a whole frame that comes later in the
// log: the system wrote it before the frames in front of it.
func (c *chain) hasWholeBehind(b []byte) bool {
	last := lastNonZero(b)
	for i := 0; i < last && i+frameMin <= len(b); i++ {
		if h, ok := c.salt.parseHeader(b[i:]); ok && h.lsn > c.next && h.kind != kindMark {
			if _, good := h.payload(b[i:]); good {
				return true
			}
		}
	}
	return false
}

// lastNonZero returns the index behind the last byte that is not zero.
func lastNonZero(b []byte) int {
	const block = 4096
	var zeros [block]byte
	for len(b) >= block && bytes.Equal(b[len(b)-block:], zeros[:]) {
		b = b[:len(b)-block]
	}
	return len(bytes.TrimRight(b, "\x00"))
}
