package core

import (
	"errors"
	"fmt"
)

var (
	// ErrMemory says that the rows in memory no longer have the checksum that the db kept while
	// it was written: something other than a transaction changed them. The log is sound; a new
	// process builds the rows from it.
	ErrMemory = errors.New("the rows in memory have changed by themselves")
	// ErrMinority says that so many replicas had other rows than this one after the same slot
	// that no majority can have its rows.
	ErrMinority = errors.New("no majority can have the same rows as this replica")
	// ErrConstant says that a replicated constant has another value in the cell than in the
	// configuration of this replica. errors.As finds the ConstantError that names it.
	ErrConstant = errors.New("configured otherwise than the cell")
	// ErrOtherVersion says that the log has a command of a kind or version that this program does
	// not know, or that the cell uses such a version: the other members run another version of the program.
	ErrOtherVersion = errors.New("the log has a command of another version of the program")
)

// ConstantError is an ErrConstant that names the constant and both values.
type ConstantError struct {
	Name      string // ConstantGrant, for instance
	Cell, Own string // the value in the cell, and in the configuration of this replica
}

// Error names the constant and both values.
func (e *ConstantError) Error() string {
	return fmt.Sprintf("%v: constant %q is %s in this cell and %s in its configuration: they must be equal", ErrConstant, e.Name, e.Cell, e.Own)
}

// Unwrap makes it an ErrConstant.
func (e *ConstantError) Unwrap() error { return ErrConstant }
