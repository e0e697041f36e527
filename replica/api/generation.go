package api

// Number numbers the commands of a cell, from 1, each once, in the order of the log. A command gets
// its number when it is applied, whether or not it is executed. Sessions, instances, generations
// and acquisitions are the numbers of the commands that made them, so none of them is ever reused.
type Number uint64

// Instance distinguishes the successive nodes at one path: a node that is deleted and created again
// has a larger one. It is the number of the command that made the node, so it is never reused in
// its cell. 0 is none.
type Instance uint64

// ContentGen numbers the contents of a file: it grows with each write.
type ContentGen uint64

// LockGen numbers the periods in which a lock is held: it grows each time the
// lock goes from free to held, in either mode, and at no other time. It is the
// number of the command that granted the lock. 0: never held.
type LockGen uint64

// ACLGen numbers the access-control names of a node: it grows when they are
// written.
type ACLGen uint64
