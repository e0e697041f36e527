package core

import (
	"errors"
	"fmt"
)

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

// ConstantError is an ErrConstant, with what is told alike to all replicas of a cell, and was not.
type ConstantError struct {
	Name      string // ConstantGrant, for instance
	Cell, Own string // the value in the cell, and in the configuration of this replica
}

// Error has both values.
func (e *ConstantError) Error() string {
	return fmt.Sprintf("%v: constant %q is %s in this cell and %s in its configuration: they must be equal", ErrConstant, e.Name, e.Cell, e.Own)
}

// Unwrap makes it an ErrConstant.
func (e *ConstantError) Unwrap() error { return ErrConstant }
