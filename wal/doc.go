// Package wal is synchronous: a write-ahead log of numbered entries on a vfs.FS,
// and a register for the few bytes that must outlive even a rotten disk.
//
// Entries are numbered by LSN, appended, synced in groups, dropped from the
// front in whole segments, and read only when the log is opened: the owner keeps
// the state in memory. Nothing here runs by itself; every call is a handful of
// vfs calls in a fixed order (testdata/calls.txt has it). The file of the next segment
// may be made beside other calls (Log.MakeAhead), so that a roll writes a header only.
//
// Read in this order: salt, frame, segment, manifest, register, log, ahead, scan, survey, open, verify, dump.
//
// # What a disk is trusted to do
//
//   - Sectors are not written atomically, nor in order: after a power cut any of
//     the bytes written since the last sync are there and any are not.
//   - Bytes that were not written keep their value, also next to those that were.
//   - What was synced stays, but for rot: wrong bytes, in places, which a checksum
//     finds. Reading what was synced before a rotten place still works.
//   - The name of a new file is there for sure only after a sync of its directory.
//   - A failed sync may have lost what was written, and the next one may succeed
//     without writing it. So no sync is tried twice.
//
// # Files
//
//	DIR/LOCK                    locked while the log is open
//	DIR/manifest.a, .b          the list of segments, in a Register
//	DIR/0000000000000001.wal    a segment; numbers are never used twice
//
// All numbers are little endian, all checksums CRC-32C. Every file names its
// format version, and one of another version is refused (ErrVersion).
//
// A segment is a header, frames, and zeros up to its preallocated size:
//
//	 0      4    6    8              16             24      32        36
//	+------+----+----+--------------+--------------+-------+---------+--------
//	| CWAL | 2  | 0  | number       | first LSN    | salt  | crc     | frames
//	+------+----+----+--------------+--------------+-------+---------+--------
//	crc: of bytes 0-31. Version 1 had no salt.
//
// A frame is an entry; or a mark (kind 0), whose LSN is that of the last entry
// and which holds nothing but its watermark:
//
//	 0        4    5     6    8         16          24    24+t  28+t   28+t+n
//	+--------+----+-----+----+---------+-----------+-----+-----+------+-----+
//	| n      |kind| t   | s  | LSN     | watermark | tag | hcrc| data | dcrc|
//	+--------+----+-----+----+---------+-----------+-----+-----+------+-----+
//	n: bytes of data; t: bytes of tag; s: the two high bytes of the segment's salt
//	hcrc: of the salt and bytes 0 to 23+t. dcrc: hcrc continued over data; absent if n is 0
//
// The watermark says that all entries up to it were durable when the frame was
// written. The tag lies under the header's checksum, so that rot of the data
// leaves known which entry it was. dcrc stands on hcrc, so that data never
// passes for that of another entry.
//
// A register copy, and the value that the manifest's register holds:
//
//	 0      4    6    8         16        20      20+n
//	+------+----+----+---------+---------+-------+-----+
//	| CREG | 1  | 0  | version | n       | value | crc |   crc: of all before it
//	+------+----+----+---------+---------+-------+-----+
//
//	 0    2    4             12       16
//	+----+----+-------------+--------+---------------------------------+
//	| 1  | 0  | next number | count  | count times: number, first LSN  |
//	+----+----+-------------+--------+---------------------------------+
//
// # Torn or rotten
//
// A frame that cannot be read is one of two things. Torn: the machine stopped
// while it was being written; it was not acknowledged as durable; it may be
// forgotten, and must be, or its remains could be taken for an entry later.
// Rotten: it was durable, and the owner may have acted on it; it must never be
// forgotten silently. The checksum alone cannot tell them apart. The watermark
// can:
//
//	An unreadable entry at or below a watermark that was found anywhere later in
//	the log is rotten. One above all of them is torn, and so is all behind it.
//
// Why all behind it: entries are synced in groups, and a group is written in any
// order, so that a good frame may follow a torn one. Had the group been synced,
// a later frame would say so.
//
// A segment is listed in the manifest after the one before it was synced. So
// each segment but the last ends in a watermark, the first LSN of the next one
// less one, and whatever is unreadable in it is rotten. Only the last segment
// can have a torn tail.
//
// The preallocated rest of a segment is zeros, and no frame's header is: its LSN
// is above 0. Zeros are one more thing that is not a frame, judged by the same
// rule: the log ends there if nothing behind them states a watermark above it.
//
// # Frames within data
//
// "Anywhere later in the log" is at any byte, since an unreadable header does not
// tell where the next frame begins. So the search reads the data of torn frames,
// which is the value of a client; and that may be frames. Say that #8 is the value of a client, a copy of a log's file or made up,
// with a frame in it that reads "#9, all up to #8 was durable". The power goes
// while #8 is being written, its header is lost and its data is not: by the rule
// above #8 was durable and is rotten, and the log does not open. Every replica
// writes the same value, so that one client and one power cut stop them all.
//
// A checksum does not help: a client can compute it. So each segment has a salt
// of 64 bits that the owner draws (Options.Salt) and keeps secret. The checksum of
// each frame's header covers it, and its two high bytes stand in the frame itself:
// bytes made without it pass for a frame of this segment with probability 2^-48 a
// place. Frames of another segment do so no more
// often; and none of those lie below a segment's own, as its file is always new.
//
// A copy of frames of this very segment does no harm: the watermarks that the log
// wrote are true. The salt does not stop a client that makes frames with it, and so
// has read the file, or a Dump, which shows it: keep both from clients that choose
// values, as long as the segment is the last one.
//
// # What stays ambiguous
//
// Rot of the entries behind the last watermark looks like a torn tail. These are
// the last group before a crash, or the last entries before a clean stop; each
// later Append states that the groups before it were synced, Idle does so when
// nothing comes, and Options.Watermark brings in what the owner wrote down
// elsewhere. So does an entry that went astray over the mark in front of it: it is
// found where the next entry is looked for, and the place that it has left is as long
// as a mark. Recovery takes that for a mark that was being written, and all behind it
// that no watermark covers for torn.
//
// # Recovery
//
//  1. Lock the directory. Open the manifest's register: of two copies, take the
//     newer one that can be read and write both anew. No copy, no segments: a
//     new log. No copy, but segments: damaged.
//  2. Remove segments that the manifest does not list: one made ahead, or in a roll that
//     was not finished, or dropped and not yet removed. A listed one that is
//     missing, empty or has another header: damaged.
//  3. Follow the frames of each segment: each begins where the last one ended, has
//     the next number and a watermark that is not lower. The chain ends at the
//     first place where no such frame is.
//  4. In a segment that is not the last: the chain must reach the next one's first
//     number, or something unlocatable is rotten: damaged.
//  5. In the last segment: look for frames behind the chain's end, at any byte. The
//     highest watermark of all, there or in the chain, or given by the owner, is
//     what was durable for sure. If it reaches beyond the chain: damaged.
//  6. Entries of the chain whose data is bad: at or below that watermark they are
//     reported (Recovery.Damaged); the first one above is where the tail begins.
//  7. Cut the tail: truncate, so that zeros follow, preallocate, write the entries
//     above the watermark over themselves, sync. Only now they are handed out.
//
// A crash at any point of this leaves a log that recovers to the same entries,
// or to fewer of those that were not acknowledged.
package wal
