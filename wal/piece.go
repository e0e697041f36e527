package wal

// PieceKind is what a Piece is about.
type PieceKind string

// The kinds of pieces, and which fields they have beside Kind, Text and File.
const (
	PieceRegister   PieceKind = "register"   // a copy of a register: Number (its version), Value
	PieceListed     PieceKind = "listed"     // a segment in the manifest above: LSN (its first)
	PieceSegment    PieceKind = "segment"    // the header of a segment: Number, LSN (its first), Salt, Bytes (of the file)
	PieceEntry      PieceKind = "entry"      // Offset, LSN, EntryKind, Watermark, Tag, Bytes (of its data), State, CRC
	PieceMark       PieceKind = "mark"       // of an idle log: Offset, Watermark
	PieceEnd        PieceKind = "end"        // of what a segment holds: Offset, LSN (the next)
	PieceTorn       PieceKind = "torn"       // a torn tail: Offset, LSN (the next), Bytes
	PieceUnreadable PieceKind = "unreadable" // damage; in a segment Offset, LSN (the first that is gone), Watermark
	PieceOpens      PieceKind = "opens"      // recovery opens the log: LSN (the next)
	PieceNote       PieceKind = "note"       // words for people
)

// Piece is one line of Dump. Fields that do not apply are zero.
type Piece struct {
	Kind PieceKind
	Text string // the line
	File string // that it is about, as in errors

	Offset    int64
	LSN       LSN
	Watermark LSN // all up to it is known to be durable
	Number    uint64
	Bytes     int64
	EntryKind uint8
	Tag       []byte
	State     string // ok, rotten (its data is lost, and was durable) or torn (its data is lost, and was not known to be durable)
	CRC       string // hexadecimal, of data that is good
	Salt      uint64
	Value     []byte
}
