package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Register is one small value on disk that is replaced as a whole and survives the loss of either
// of its two files. It is for values that must never be forgotten (a promise) or on which
// everything else depends (a manifest).
//
// Calls of a Register must not overlap. Its user must hold a lock on the directory.
type Register struct {
	fs       vfs.FS
	dir      string
	copies   [2]registerCopy // in the order in which Write goes through them
	version  uint64          // of the value in both; 0: none was ever written
	repaired []string
	buf      []byte
	err      error // final
}

// registerSuffixes end the names of the copies.
var registerSuffixes = [2]string{".a", ".b"}

type registerCopy struct {
	name string
	file vfs.File // nil while there is none
}

const (
	registerMagic   = "CREG"
	registerVersion = 1
	registerFixed   = 20
	registerMost    = registerFixed + MaxValue + crcSize
	// MaxValue bounds the value of a Register.
	MaxValue = 1 << 20
)

// registerState is what one copy was found to hold.
type registerState struct {
	there, good bool
	format      uint16 // as far as it can be read, even if the copy is not good
	version     uint64 // likewise
	value       []byte
	err         error // why it could not be read
}

// OpenRegister opens the register name of a directory and returns its value, or nil if none was
// ever written. The value belongs to the caller. When OpenRegister returns, the value is durable
// and both copies hold it, whatever state they were in:
//
//   - A copy that is missing, torn, rotten, unreadable twice (vfs.ErrIO) or older is rewritten
//     from the other one (see Repaired).
//   - If no copy can be read, the register is lost: *DamageError. The one exception is a torn
//     first copy of the first version without a second copy, which is a first Write that never
//     returned.
func OpenRegister(fsys vfs.FS, dir, name string) (*Register, []byte, error) {
	r, states, i, err := loadRegister(fsys, dir, name)
	if err == nil && i >= 0 {
		err = r.repair(i, states)
	}
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	if i < 0 {
		return r, nil, nil
	}
	return r, states[i].value, nil
}

// loadRegister opens both copies, changes neither, and picks the one to trust; -1: the register was
// never written. The caller must close the register, even after an error.
func loadRegister(fsys vfs.FS, dir, name string) (r *Register, states [2]registerState, winner int, err error) {
	r = &Register{fs: fsys, dir: dir}
	for i, suffix := range registerSuffixes {
		r.copies[i].name = path.Join(dir, name+suffix)
	}
	for i := range r.copies {
		if states[i], err = r.copies[i].open(fsys); err != nil {
			return r, states, -1, err
		}
	}
	if winner, err = r.winner(states); err != nil || winner < 0 {
		return r, states, -1, err
	}
	r.version = states[winner].version
	if loser := 1 - winner; !states[loser].good || states[loser].version != r.version {
		r.repaired = append(r.repaired, r.copies[loser].name)
	}
	return r, states, winner, nil
}

func (c *registerCopy) open(fsys vfs.FS) (registerState, error) {
	f, err := fsys.Open(c.name)
	if errors.Is(err, fs.ErrNotExist) {
		return registerState{}, nil
	}
	if err != nil {
		return registerState{}, err
	}
	c.file = f
	b, err := readStart(f, registerMost)
	if errors.Is(err, vfs.ErrIO) {
		// Read it once more: the other copy may be older, and would be written over this one.
		b, err = readStart(f, registerMost)
	}
	if errors.Is(err, vfs.ErrIO) {
		return registerState{there: true, err: err}, nil // as if it had rotted
	}
	if err != nil {
		return registerState{}, err
	}
	s := parseRegister(b)
	s.there = true
	if s.good && s.format != registerVersion {
		err = wrongVersion(c.name, s.format, registerVersion)
	}
	return s, err
}

// winner returns the index of the copy to trust, or -1 if the register was never written.
func (r *Register) winner(s [2]registerState) (int, error) {
	a, b := s[0], s[1]
	switch {
	case a.good && b.good && a.version == b.version && string(a.value) != string(b.value):
		return 0, damaged(r.copies[0].name, 0, "two values of one version %d", a.version)
	case a.good && (!b.good || a.version >= b.version):
		return 0, nil
	case b.good:
		return 1, nil
	case a.err != nil, b.err != nil:
		return 0, errors.Join(a.err, b.err) // which may not happen again
	case !a.there && !b.there, a.there && !b.there && a.version <= 1 && a.format <= registerVersion:
		return -1, nil
	}
	for i, c := range s {
		if c.format > registerVersion {
			return 0, wrongVersion(r.copies[i].name, c.format, registerVersion)
		}
	}
	return 0, damaged(r.copies[0].name, 0, "neither copy of the register can be read")
}

// repair writes the winner's value into both copies. It writes the winner first, over itself: the
// value that was read, and the name of its file, may be only in the machine's memory. Both must be
// on the disk before the other copy is touched. Otherwise a power cut may leave the other copy
// alone, and torn.
func (r *Register) repair(winner int, s [2]registerState) error {
	image := appendRegister(nil, r.version, s[winner].value)
	if err := r.writeCopy(winner, image); err != nil {
		return err
	}
	if err := r.fs.SyncDir(r.dir); err != nil {
		return err
	}
	return r.writeCopy(1-winner, image)
}

// Repaired names the copies that OpenRegister found missing, older or damaged. A crash during Write
// explains one of them; so does rot.
func (r *Register) Repaired() []string { return r.repaired }

// Write replaces the value. When it returns nil, the new value is durable; after a crash before
// that, the register holds the old value or the new one. An error is final: every later call fails
// with it.
func (r *Register) Write(value []byte) error {
	if r.err != nil {
		return r.err
	}
	if len(value) > MaxValue {
		return fmt.Errorf("wal: register value of %d bytes, at most %d", len(value), MaxValue)
	}
	r.buf = appendRegister(r.buf[:0], r.version+1, value)
	for i := range r.copies {
		if err := r.writeCopy(i, r.buf); err != nil {
			r.err = err
			return err
		}
	}
	r.version++
	return nil
}

// writeCopy writes one copy and makes it durable, including its name.
func (r *Register) writeCopy(i int, image []byte) error {
	c := &r.copies[i]
	created := c.file == nil
	if created {
		f, err := r.fs.Create(c.name)
		if err != nil {
			return err
		}
		c.file = f
	}
	if _, err := c.file.WriteAt(image, 0); err != nil {
		return err
	}
	if !created {
		return c.file.SyncData()
	}
	if err := c.file.Sync(); err != nil {
		return err
	}
	return r.fs.SyncDir(r.dir)
}

// Close closes the files; the register is unusable afterwards.
func (r *Register) Close() error {
	var err error
	for i := range r.copies {
		if c := &r.copies[i]; c.file != nil {
			err = errors.Join(err, c.file.Close())
			c.file = nil
		}
	}
	if r.err == nil {
		r.err = fmt.Errorf("wal: register: %w", ErrClosed)
	}
	return err
}

func appendRegister(dst []byte, version uint64, value []byte) []byte {
	start := len(dst)
	dst = append(dst, registerMagic...)
	dst = binary.LittleEndian.AppendUint16(dst, registerVersion)
	dst = append(dst, 0, 0)
	dst = binary.LittleEndian.AppendUint64(dst, version)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(value)))
	dst = append(dst, value...)
	return binary.LittleEndian.AppendUint32(dst, checksum(dst[start:]))
}

// parseRegister parses one copy. It ignores bytes after the checksum: a longer value was there
// once.
func parseRegister(b []byte) registerState {
	if len(b) < registerFixed || string(b[:4]) != registerMagic {
		return registerState{}
	}
	s := registerState{format: binary.LittleEndian.Uint16(b[4:]), version: binary.LittleEndian.Uint64(b[8:])}
	size := uint64(binary.LittleEndian.Uint32(b[16:]))
	if size+registerFixed+crcSize > uint64(len(b)) {
		return s
	}
	end := registerFixed + int(size)
	if checksum(b[:end]) == binary.LittleEndian.Uint32(b[end:]) {
		s.good, s.value = true, append([]byte{}, b[registerFixed:end]...)
	}
	return s
}

// readStart reads a file of at most limit bytes, or the beginning of a longer one.
func readStart(f vfs.File, limit int64) ([]byte, error) { return readInto(nil, f, limit) }

// readInto is readStart that uses the memory of room, if there is enough.
func readInto(room []byte, f vfs.File, limit int64) ([]byte, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	n := int(min(size, limit))
	if cap(room) < n {
		room = make([]byte, n)
	}
	b := room[:n]
	if n == 0 {
		return b, nil
	}
	if n, err := f.ReadAt(b, 0); n < len(b) {
		return nil, err
	}
	return b, nil
}
