// Package ondisk is test support: it reads what stands on the disk of a replica, as the
// formats in wal/doc.go and replica/disk/store/doc.go draw it, and shares no code with either.
// What a strike may hit, and what a disk must have kept, must not depend on what the
// product makes of it.
//
// It looks at the bytes that the machine sees, which may not be on the disk yet, and never
// changes one.
//
// Reading order:
//
//	log.go       the frames of a log, and which of them must not be forgotten
//	register.go  the promise register and the manifest, each in two copies
package ondisk
