package vfs

// Op names one method of FS or File in traces, faults and errors.
type Op uint8

// The operations, in the order of the interfaces.
const (
	OpCreate Op = iota + 1
	OpOpen
	OpReadDir
	OpRename
	OpRemove
	OpSyncDir
	OpMkdirAll
	OpLock
	OpReadAt
	OpWriteAt
	OpSync
	OpSyncData
	OpPreallocate
	OpTruncate
	OpSize
	OpClose
)

// String is the method's name in lower case.
func (o Op) String() string {
	switch o {
	case OpCreate:
		return "create"
	case OpOpen:
		return "open"
	case OpReadDir:
		return "readdir"
	case OpRename:
		return "rename"
	case OpRemove:
		return "remove"
	case OpSyncDir:
		return "syncdir"
	case OpMkdirAll:
		return "mkdirall"
	case OpLock:
		return "lock"
	case OpReadAt:
		return "readat"
	}
	return o.fileString()
}

func (o Op) fileString() string {
	switch o {
	case OpWriteAt:
		return "writeat"
	case OpSync:
		return "sync"
	case OpSyncData:
		return "syncdata"
	case OpPreallocate:
		return "preallocate"
	case OpTruncate:
		return "truncate"
	case OpSize:
		return "size"
	case OpClose:
		return "close"
	}
	return "op?"
}

// CanChange reports whether the operation can change what a disk holds; the others
// only read.
func (o Op) CanChange() bool {
	switch o {
	case OpReadDir, OpReadAt, OpSize, OpOpen, OpClose:
		return false
	}
	return true
}

// Call is one call of a method as a fault predicate sees it.
type Call struct {
	Op   Op
	Name string // the file or directory; of a rename, the old name
	To   string // of a rename, the new name
	Off  int64  // of ReadAt and WriteAt; the size, of Preallocate and Truncate
	N    int    // bytes, of ReadAt and WriteAt
	Data []byte // of WriteAt: the bytes, to look at during the predicate only
}

// Fault says what goes wrong with one call. The zero Fault is none.
type Fault struct {
	// Err fails the call with this error. Unless the fields below say more, it
	// has no other effect.
	Err error
	// Short, with Err on WriteAt, writes that many of the bytes before failing.
	Short int
	// Drop, with Err on Sync or SyncData, forgets all unsynced writes of the
	// file and marks them clean: reads still see them, no later Sync writes them,
	// and a crash takes them away. Linux does this (fsyncgate).
	Drop bool
	// Lose, on WriteAt without Err, lies: the call succeeds and reads see the
	// bytes, but they never reach the disk, whatever is synced.
	Lose bool
	// Astray, on WriteAt, lets the bytes land at another place, which may be in
	// another file; where they were meant to go, the old ones stay. A place in no
	// file swallows them. They are written there as any bytes are: not durable
	// before a sync of that file.
	Astray *Place
}

// Place is a place on a disk.
type Place struct {
	Name string
	Off  int64
}
