// Package snapshot is synchronous: it keeps snapshots of replicated state in one
// directory of a vfs.FS, each in a file that is either complete or absent.
//
// A Store writes snapshots of its own process (Write, Create), installs those of other
// replicas piece by piece (Install), and hands out the latest good one (Load, ReadChunk).
// Every byte is covered by checksums, and a file is published only after it is complete
// and durable. Open checks every file and reports the bad ones; Prune removes old ones.
// The state itself is an opaque stream of bytes here; package db writes and loads it. The
// package starts no goroutines; each call makes a few vfs calls in a fixed order
// (testdata/calls.txt lists them).
//
// Reading order: handle, format, checker, reader, tempfile, writer, install, store, open,
// read; then file and dump for snapshots outside a store.
//
// # Assumptions about the disk
//
//   - A write is durable once a sync of the file has returned nil; until then a power
//     failure may keep any part of it.
//   - The creation or removal of a name is durable once a sync of its directory has
//     returned nil. A rename is atomic: the name means the old file or the new one.
//   - A failed sync may have lost written data, and the next sync may succeed without
//     writing it. So no sync is retried: the file is discarded.
//   - Synced data stays, except for rot: wrong bytes, or unreadable bytes, which a
//     checksum or an error of the disk reveals.
//
// # Files
//
//	DIR/LOCK                          locked while the store is open
//	DIR/00000000000000000042.snap     the snapshot of slot 42
//	DIR/00000000000000000043.1.tmp    one that is being written; never read
//
// All numbers are little endian. A snapshot is a header, chunks, and an end:
//
//	 0      4    6    8       12        16     24      32      40     44        44+4m
//	+------+----+----+-------+---------+------+-------+-------+------+---------+-----+
//	| CSNP | 1  | 0  | chunk | m       | slot | round | epoch | node | members | crc |
//	+------+----+----+-------+---------+------+-------+-------+------+---------+-----+
//	1: the format version. chunk: bytes of data in a full chunk
//	m: number of members, 4 bytes each, ascending. round, node: the ballot
//	crc: CRC-32C of all before it
//
//	 0        8    12     12+n                  0        8    12       20    28
//	+--------+----+------+-----+               +--------+----+--------+-----+-----+
//	| number | n  | data | crc |  times count  | number | 0  | length | sum | crc |
//	+--------+----+------+-----+               +--------+----+--------+-----+-----+
//	number: 1, 2, 3 ...; that of the end is count + 1, so it states the count
//	n: bytes of data, not 0; all chunks but the last are full
//	crc: the header's CRC-32C continued over all of the piece before it
//	length: bytes of data in all chunks
//	sum: XXH64 of all bytes of the file before it
//
// Nothing follows the end. The crc of a chunk continues that of the header, so a chunk
// cannot be taken for a chunk of another snapshot, nor, because of its number, for another
// chunk of the same one. All chunks but the last are full, so the offset of each is known
// without reading those before it. Sum and handle together identify a snapshot; every
// piece that replicas send each other carries both (type ID).
//
// A file of another format version is refused and reported (ErrVersion). No length in a
// file is used before it was compared with an independent bound: MaxMembers, MaxChunk, the
// size of the file.
//
// # Publishing
//
//  1. Create a file under a name that ends in .tmp and is used once.
//  2. Write the header.
//  3. For each chunk: write it, SyncData. A log on the same disk never waits for
//     more than one chunk (PML §7).
//  4. Write the end. Sync.
//  5. Close, and rename to the name that the slot gives it, replacing a bad snapshot of
//     the slot if there is one.
//  6. SyncDir.
//  7. Only now it is the latest one, and Commit returns nil. That is the confirmation that
//     allows a log to be truncated, and nothing before it does (PML §5.5).
//
// An error in steps 1 to 5 removes the file. After an error in step 6 Commit fails and the
// store continues without the snapshot; a restart may find the file, which is complete.
//
// A snapshot from another replica is published in the same way: Installer checks each piece
// before it writes it, and the sum before it publishes.
//
// # Pruning
//
//  1. Find the slot of the Keep-th newest good snapshot. If there is none, stop.
//  2. Remove all snapshots below it, also bad ones, the oldest first.
//  3. SyncDir.
//
// At every point the newest Keep good ones exist.
//
// # Recovery
//
//  1. Create the directory and lock it.
//  2. Remove all names that end in .tmp, without reading the files.
//  3. SyncDir: a name that a crashed process published on a machine that stayed up may not
//     be durable, and must be before a log is truncated because of it.
//  4. Read every snapshot to its end. It is good if each piece is in its place with a correct
//     checksum, number, length and sum are right, nothing follows, and the handle's slot is
//     that of the name. Any other file is bad: it is reported and left where it is.
//  5. The latest is the good one with the highest slot in its handle.
//
// A crash at any point leaves a directory that recovers to the latest confirmed snapshot, or
// to a newer complete one.
//
// The store cannot detect that a newer snapshot is missing together with its name. A caller
// that records the slot elsewhere passes it in (Options.Confirmed).
//
// # Invariants
//
//	I-N1  delta  the slot of the latest snapshot rises with each one published
//	I-N2  delta  pruning leaves the newest Keep good snapshots
package snapshot
