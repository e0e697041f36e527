// Package wal is synchronous: a write-ahead log of numbered entries on a vfs.FS, and a register for
// the few bytes that must survive even a rotten disk.
//
// Entries are numbered by LSN, appended, synced in groups, dropped from the front in whole
// segments, and read only when the log is opened: the owner keeps the state in memory. Nothing runs
// in the background; every call makes a few vfs calls in a fixed order (testdata/calls.txt lists
// them). The file of the next segment may be made beside other calls (Log.MakeAhead), so that a
// roll only writes a header.
//
// Reading order: salt, frame, segment, manifest, register, log, ahead, scan, survey, open, verify,
// piece, dump.
//
// # What a disk is trusted to do
//
//   - Sectors are written neither atomically nor in order: after a power cut, any of the bytes
//     written since the last sync may be on the disk, and any may be missing.
//   - Bytes that were not written keep their value, even next to bytes that were.
//   - Synced data stays, except for rot: wrong bytes, in places, which a checksum finds. Synced
//     data before a rotten place can still be read.
//   - The name of a new file is durable only after a sync of its directory.
//   - A failed sync may have lost written data, and the next one may succeed without writing it.
//     So no sync is retried.
//
// # Files
//
//	DIR/LOCK                    locked while the log is open
//	DIR/manifest.a, .b          the list of segments, in a Register
//	DIR/0000000000000001.wal    a segment; numbers are never reused
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
// A frame is an entry or a mark. A mark (kind 0) has the LSN of the last entry, and holds only its
// watermark:
//
//	 0        4    5     6    8         16          24    24+t  28+t   28+t+n
//	+--------+----+-----+----+---------+-----------+-----+-----+------+-----+
//	| n      |kind| t   | s  | LSN     | watermark | tag | hcrc| data | dcrc|
//	+--------+----+-----+----+---------+-----------+-----+-----+------+-----+
//	n: bytes of data; t: bytes of tag; s: the two high bytes of the segment's salt
//	hcrc: of the salt and bytes 0 to 23+t. dcrc: hcrc continued over data; absent if n is 0
//
// The watermark says that all entries up to it were durable when the frame was written. The
// header's checksum covers the tag, so that the entry can still be identified when its data rots.
// dcrc continues hcrc, so that data cannot pass for that of another entry.
//
// A register copy, and the value in the manifest's register:
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
// A frame that cannot be read is one of two things. It is torn if the machine stopped while it was
// being written. Then it was not acknowledged as durable; it may be forgotten, and must be, or its
// remains could be taken for an entry later. It is rotten if it was durable. Then the owner may
// have acted on it, and it must never be forgotten silently. The checksum alone cannot distinguish
// the two. The watermark can:
//
//	An unreadable entry at or below a watermark that was found anywhere later in
//	the log is rotten. An entry above all of them is torn, and so is everything behind it.
//
// Everything behind a torn entry is torn too, because entries are synced in groups and a group is
// written in any order: a good frame may follow a torn one. If the group had been synced, a later
// frame would say so.
//
// A segment is listed in the manifest only after the one before it was synced. So each segment but
// the last has a watermark at its end, the first LSN of the next segment less one, and whatever is
// unreadable in it is rotten. Only the last segment can have a torn tail.
//
// The preallocated rest of a segment is zeros, and no frame's header is zeros: its LSN is above 0.
// Zeros are one more thing that is not a frame, and the same rule applies: the log ends there if
// nothing behind them states a watermark above it.
//
// # Frames within data
//
// "Anywhere later in the log" means at any byte, since an unreadable header does not tell where the
// next frame begins. The search therefore reads the data of torn frames. That data is the value of
// a client, and may look like frames. Suppose that #8 is such a value, copied from a log's file or
// made up, with a frame in it that reads "#9, all up to #8 was durable". The power fails while #8
// is being written, and its header is lost but its data is not. By the rule above, #8 was durable
// and is rotten, and the log does not open. Every replica writes the same value, so one client and
// one power cut stop them all.
//
// A checksum does not help: a client can compute it. So each segment has a salt of 64 bits that the
// owner draws (Options.Salt) and keeps secret. The checksum of each frame's header covers it, and
// its two high bytes are in the frame itself. Bytes made without the salt pass for a frame of this
// segment with a probability of 2^-48 at each place. Frames of another segment do so no more often;
// and none of those lie below a segment's own frames, because its file is always new.
//
// A copy of frames of this very segment does no harm: the watermarks that the log wrote are true.
// The salt does not stop a client that has read the file, or a Dump, which shows the salt, and
// makes frames with it. Keep both from clients that choose values, as long as the segment is the
// last one.
//
// # What stays ambiguous
//
// Rot of the entries behind the last watermark looks like a torn tail. These are the last group
// before a crash, or the last entries before a clean stop. Each later Append states that the groups
// before it were synced, Idle does so when no entry comes, and Options.Watermark adds what the
// owner has recorded elsewhere.
//
// An entry that went astray over the mark in front of it also looks like a torn tail: it is found
// where the next entry is expected, and its own place is as long as a mark. Recovery takes that
// place for a mark that was being written, and everything behind it that no watermark covers for
// torn.
//
// # Recovery
//
//  1. Lock the directory. Open the manifest's register: of two copies, take the newer readable
//     one and write both anew. No copy and no segments: a new log. No copy, but segments:
//     damaged.
//  2. Remove segments that the manifest does not list: made ahead, or in an unfinished roll, or
//     dropped and not yet removed. A listed segment that is missing, empty or has another
//     header: damaged.
//  3. Follow the frames of each segment: each begins where the last one ended, and has the next
//     number and a watermark that is not lower. The chain ends at the first place without such a
//     frame.
//  4. In a segment that is not the last: the chain must reach the first number of the next one.
//     Otherwise something is rotten that cannot be located: damaged.
//  5. In the last segment: look for frames behind the chain's end, at any byte. The highest of
//     all watermarks, there or in the chain or given by the owner, is what was certainly
//     durable. If it reaches beyond the chain: damaged.
//  6. Entries of the chain whose data is bad: those at or below that watermark are reported
//     (Recovery.Damaged); at the first one above it the tail begins.
//  7. Cut the tail: truncate, so that zeros follow, preallocate, write the entries above the
//     watermark over themselves, sync. Only then return them.
//
// A crash at any point of recovery leaves a log that recovers to the same entries, or to fewer of
// those that were not acknowledged.
package wal
