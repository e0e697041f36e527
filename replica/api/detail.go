package api

// Detail is the part of an answer besides its Code, Value and Pairs: one of the structs Opened,
// NodeStat, Listing, Held, Sequenced and Leased, or nil. The comment of each op names its detail.
type Detail interface{ detail() }

// Opened is a handle, and the node as it was when it was opened.
type Opened struct {
	Token   Token
	Node    Ref
	Stat    Stat
	Created bool // by this call
}

// NodeStat is the metadata of a node.
type NodeStat struct{ Stat Stat }

// Listing is a part of a directory, ascending by name.
type Listing struct {
	Children []Child
	More     bool // there are more children after the last one
}

// Held is a lock that the handle holds.
type Held struct {
	Gen         LockGen
	Acquisition Acquisition
}

// Sequenced describes the lock that a handle holds.
type Sequenced struct{ Sequencer Sequencer }

func (Opened) detail()    {}
func (NodeStat) detail()  {}
func (Listing) detail()   {}
func (Held) detail()      {}
func (Sequenced) detail() {}
