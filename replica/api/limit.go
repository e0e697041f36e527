package api

// Limits of requests and answers. A client checks them before it sends (Check), and a
// replica checks them again.
const (
	// MaxKey is the longest key or prefix, in bytes.
	MaxKey = 1 << 10
	// MaxValue is the longest value, in bytes: Chubby's limit of a file's size
	// (Chubby paper, 4.5).
	MaxValue = 256 << 10
	// MaxListPairs bounds the rows of one List answer.
	MaxListPairs = 1 << 14
	// MaxListBytes bounds the total size of the keys and values of one List answer.
	MaxListBytes = 1 << 20
	// MaxMessage bounds the encoding of a request or reply that keeps the limits above; the
	// decoders refuse longer ones unread.
	MaxMessage = MaxListBytes + 128<<10
	// MaxWindow bounds how far a Seq may be ahead of AckedThrough, and thus the number of answers
	// that a cell stores for a session.
	MaxWindow = 256
)
