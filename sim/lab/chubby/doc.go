// Package chubby is test support: the lock of this project's own cell, beside the systems of
// others. Nothing here is a model: the cell is one of package cellkit, whose three replicas run the
// driver and the store that ship, and clients run package client with its defaults. It leaves
// out certificates, backups and quotas of principals.
//
// The algorithm:
//
//  1. a client opens a session with the cell; the master grants it a lease of 12 s, which
//     KeepAlives renew
//  2. Open of the node, Acquire: the command is chosen by a majority before it is answered
//  3. held while the session's lease runs by the client's own, cautious count
//  4. Release frees the lock at once; a session that ends by its lease frees it after the
//     lock-delay, which is in the log and so survives every master
//
// The token is the lock's generation, as it stands in the sequencer: the log counts it, so no
// failure of a minority repeats it.
//
// Reading order: lock.go (what the client does), system.go (its card), breaks.go (K1 to K4).
package chubby
