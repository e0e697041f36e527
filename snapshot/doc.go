// Package snapshot is synchronous: it keeps snapshots of replicated state in one
// directory of a vfs.FS, each in a file that is complete or not there.
//
// The state itself is a stream of bytes to this package; package db writes and
// loads it. Nothing here runs by itself; every call is a handful of vfs calls in
// a fixed order (testdata/calls.txt has it).
//
// Read in this order: handle, format, checker, reader, aside, writer, install,
// store, open, read.
//
// # What a disk is trusted to do
//
//   - A write is not durable before a sync of the file returned nil; until then a
//     power cut keeps any part of it.
//   - A name, and the loss of one, is not durable before a sync of its directory
//     returned nil. A rename is atomic: the name means the old file or the new one.
//   - A failed sync may have lost what was written, and the next one may succeed
//     without writing it. So none is tried twice: the file is thrown away.
//   - What was synced stays, but for rot: wrong bytes, or bytes that cannot be
//     read, which a checksum or an error of the disk shows.
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
// Nothing follows the end. A chunk's crc stands on the header's, so that a chunk
// never passes for that of another snapshot, nor, with its number, for another one
// of the same. As all chunks but the last are full, the place of each is known
// without reading those before it. The sum and the handle tell a snapshot from
// every other: pieces that peers send each other carry both (type ID).
//
// A file of another format version is refused, and reported (ErrVersion). No
// length is believed before it was compared with a bound that is known without
// it: MaxMembers, MaxChunk, the size of the file.
//
// # Publishing
//
//  1. Create a file under a name that ends in .tmp and is used once.
//  2. Write the header.
//  3. For each chunk: write it, SyncData. A log on the same disk never waits for
//     more than one chunk (PML §7).
//  4. Write the end. Sync.
//  5. Close, and rename to the name that the slot gives it, in place of a bad
//     snapshot of the slot if there is one.
//  6. SyncDir.
//  7. Only now it is the latest one, and the caller is told. A log may be truncated
//     on that, and on nothing before it (PML §5.5).
//
// An error in 1 to 5 removes the file. After one in 6 nobody is told and the store
// goes on without it; a restart may find the file, which is complete.
//
// A snapshot from a peer goes the same way: Installer checks each piece before it
// writes it, and the sum before it publishes.
//
// # Pruning
//
//  1. Find the slot of the Keep-th newest good snapshot. If there is none, stop.
//  2. Remove all below it, bad ones too, the oldest first.
//  3. SyncDir.
//
// At every point of this the newest Keep good ones are there.
//
// # Recovery
//
//  1. Make the directory and lock it.
//  2. Remove all names that end in .tmp, unread.
//  3. SyncDir: a name that a dead process gave on a machine that stayed up may not
//     be durable, and must be before somebody stands on it.
//  4. Read every snapshot to its end. It is good if each piece is in its place with
//     a good checksum, number, length and sum are right, nothing follows, and the
//     handle's slot is that of the name. Anything else is bad: it is reported and
//     left where it is.
//  5. The latest is the good one with the highest slot in its handle.
//
// A crash at any point of all this leaves a directory that recovers to the latest
// snapshot that was confirmed, or to a newer complete one.
//
// What cannot be seen from here: that a newer snapshot is gone with its name.
// Whoever keeps its slot elsewhere passes it in (Options.Confirmed).
//
// # Invariants
//
//	I-N1  delta  the slot of the latest snapshot rises with each one published
//	I-N2  delta  pruning leaves the newest Keep good snapshots
package snapshot
