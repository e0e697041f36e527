package linearizability

import "github.com/chubbycell/chubby/linearizability/model"

// Models are defined in package model, which documents every name below.

// Model is a sequential specification: the answers of a process that executes one operation after
// the other. Init, Step and Effect are required. For all its fields: go doc
// linearizability/model.Model.
type Model[S, I, O any] = model.Model[S, I, O]

// Settle narrows what the operations of unknown outcome in one partition can have done. See go doc
// linearizability/model.Settle.
type Settle[I, O any] = model.Settle[I, O]

// Propose returns an order that may be legal. See go doc linearizability/model.Propose.
type Propose[I, O any] = model.Propose[I, O]

// Refute finds an operation that no order explains. See go doc linearizability/model.Refute.
type Refute[I, O any] = model.Refute[I, O]

// NoEffect is the entry in Settle for an operation that can be left out.
const NoEffect = model.NoEffect

// Replayer is the mutable version of a model: one state, changed in place. See go doc
// linearizability/model.Replayer.
type Replayer[I, O any] = model.Replayer[I, O]

// Codec turns inputs and outputs into JSON and back. See go doc linearizability/model.Codec.
type Codec[I, O any] = model.Codec[I, O]

// Deterministic makes a model from a function that computes the answer.
func Deterministic[S, I, O any](init func() S, apply func(s S, in I) (S, O), same func(in I, want, got O) bool) Model[S, I, O] {
	return model.Deterministic(init, apply, same)
}

// The key/value model. Fields and methods are in go doc linearizability/model.
type (
	KVState  = model.KVState  // one group, or one key
	KVOp     = model.KVOp     // an operation
	KVInput  = model.KVInput  // a call
	KVOutput = model.KVOutput // a result
	KVPair   = model.KVPair   // a key and its value
)

// Operations of the key/value model.
const (
	OpGet    = model.OpGet
	OpPut    = model.OpPut
	OpDelete = model.OpDelete
	OpCAS    = model.OpCAS
	OpList   = model.OpList
	OpAppend = model.OpAppend
)

// KV is the model of a key/value store.
func KV() *Model[KVState, KVInput, KVOutput] { return model.KV() }

// KVGroup returns the group of a key or of a prefix.
func KVGroup(key string) string { return model.KVGroup(key) }

// Get reads a key.
func Get(key string) KVInput { return model.Get(key) }

// Put sets a key.
func Put(key, value string) KVInput { return model.Put(key, value) }

// Append appends a value to the value of a key.
func Append(key, value string) KVInput { return model.Append(key, value) }

// Delete removes a key.
func Delete(key string) KVInput { return model.Delete(key) }

// CompareAndSet sets a key if it has the expected value.
func CompareAndSet(key, expect, value string) KVInput { return model.CompareAndSet(key, expect, value) }

// PutIfAbsent sets a key that does not exist.
func PutIfAbsent(key, value string) KVInput { return model.PutIfAbsent(key, value) }

// List reads all keys with a prefix.
func List(prefix string) KVInput { return model.List(prefix) }

// Register is the model of one value with read, write and compare-and-set.
func Register() *Model[KVState, KVInput, KVOutput] { return model.Register() }

// CAS is Register for histories of other systems, in which a failed compare-and-set says that the
// register held another value.
func CAS() *Model[KVState, KVInput, KVOutput] { return model.CAS() }

// Read reads the register.
func Read() KVInput { return model.Read() }

// Write sets the register.
func Write(value string) KVInput { return model.Write(value) }

// The models of sets and queues. Fields and methods are in go doc linearizability/model.
type (
	SetState    = model.SetState    // one set
	SetOp       = model.SetOp       // an operation
	SetInput    = model.SetInput    // a call
	SetOutput   = model.SetOutput   // a result
	QueueState  = model.QueueState  // one queue
	QueueOp     = model.QueueOp     // an operation
	QueueInput  = model.QueueInput  // a call
	QueueOutput = model.QueueOutput // a result
)

// Operations of the models of sets and queues.
const (
	SetAdd    = model.SetAdd
	SetRemove = model.SetRemove
	SetHas    = model.SetHas
	SetRead   = model.SetRead

	QueueEnqueue = model.QueueEnqueue
	QueueDequeue = model.QueueDequeue
)

// Set is the model of sets of values.
func Set() *Model[SetState, SetInput, SetOutput] { return model.Set() }

// Queue is the model of queues, first in, first out.
func Queue() *Model[QueueState, QueueInput, QueueOutput] { return model.Queue() }

// The model of a tree of files. Fields and methods are in go doc linearizability/model.
type (
	FileState    = model.FileState    // the tree
	FileOp       = model.FileOp       // an operation
	FileCreation = model.FileCreation // whether FileOpen creates
	FileKind     = model.FileKind     // file or directory
	FileNames    = model.FileNames    // names of access control lists
	FileInput    = model.FileInput    // a call
	FileCode     = model.FileCode     // how a call ended
	FileStat     = model.FileStat     // metadata
	FileChild    = model.FileChild    // one child of a directory
	FileOutput   = model.FileOutput   // a result
)

// Operations, creations, kinds and codes of the model of files.
const (
	FileOpen     = model.FileOpen
	FileGet      = model.FileGet
	FileGetStat  = model.FileGetStat
	FileReadDir  = model.FileReadDir
	FileSet      = model.FileSet
	FileSetNames = model.FileSetNames
	FileDelete   = model.FileDelete
	FileTakeLock = model.FileTakeLock

	FileCreateNever = model.FileCreateNever
	FileCreateMay   = model.FileCreateMay
	FileCreateMust  = model.FileCreateMust

	FileDirectory = model.FileDirectory
	FilePlain     = model.FilePlain

	FileOK           = model.FileOK
	FileNotFound     = model.FileNotFound
	FileExists       = model.FileExists
	FileGone         = model.FileGone
	FileNotEmpty     = model.FileNotEmpty
	FileNotDirectory = model.FileNotDirectory
	FileIsDirectory  = model.FileIsDirectory
	FileConflict     = model.FileConflict
)

// File is the model of a tree of files.
func File() *Model[FileState, FileInput, FileOutput] { return model.File() }

// The model of locks. Fields and methods are in go doc linearizability/model.
type (
	LockState  = model.LockState  // one lock
	LockOp     = model.LockOp     // an operation
	LockInput  = model.LockInput  // a call
	LockCode   = model.LockCode   // how a call ended
	LockOutput = model.LockOutput // a result
)

// Operations and codes of the model of locks.
const (
	LockAcquire        = model.LockAcquire
	LockTry            = model.LockTry
	LockRelease        = model.LockRelease
	LockClose          = model.LockClose
	LockFail           = model.LockFail
	LockDelayOver      = model.LockDelayOver
	LockGetSequencer   = model.LockGetSequencer
	LockCheckSequencer = model.LockCheckSequencer
	LockForget         = model.LockForget

	LockOK      = model.LockOK
	LockHeld    = model.LockHeld
	LockDelayed = model.LockDelayed
	LockOther   = model.LockOther
	LockNotHeld = model.LockNotHeld
	LockStale   = model.LockStale
	LockGone    = model.LockGone
)

// The model of mutexes.
type (
	MutexOp     = model.MutexOp     // an operation
	MutexInput  = model.MutexInput  // a call
	MutexOutput = model.MutexOutput // a result, which has no content
)

// Operations of the model of mutexes.
const (
	MutexAcquire = model.MutexAcquire
	MutexRelease = model.MutexRelease
)

// Mutex is the model of mutexes without an owner: any process may release one.
func Mutex() *Model[bool, MutexInput, MutexOutput] { return model.Mutex() }

// Lock is the model of locks.
func Lock() *Model[LockState, LockInput, LockOutput] { return model.Lock() }
