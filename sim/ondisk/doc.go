// Package ondisk is test support: it reads the disk of a replica by the formats of
// wal/doc.go and replica/disk/store/doc.go, and shares no code with either package. What a
// fault may hit, and what a disk must have kept, must not depend on how the product reads
// its files.
//
// It reads the bytes that the machine sees, which may not be on the disk yet, and changes
// none.
//
// Reading order:
//
//	log.go       the frames of a log, and which of them must not be forgotten
//	register.go  the promise register and the manifest, each in two copies
package ondisk
