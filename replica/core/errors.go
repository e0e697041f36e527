package core

import "errors"

var (
	// ErrMemory says that the rows in memory no longer have the checksum that was
	// kept while they were written: something changed them that is no
	// transaction. The log is good; a new process builds the rows from it.
	ErrMemory = errors.New("the rows in memory have changed by themselves")
	// ErrMinority says that too many replicas had other rows than this one after
	// the same slot for a majority to have the same as it.
	ErrMinority = errors.New("no majority can have the same rows as this replica")
	// ErrConstant says that the replica was configured otherwise than its cell: a
	// replicated constant has another value than its own configuration.
	ErrConstant = errors.New("configured otherwise than the cell")
	// ErrOtherVersion says that the log has a command of which this program knows nothing: a
	// master that runs another version of the program proposed it.
	ErrOtherVersion = errors.New("the log has a command of another version of the program")
)
