package wal

import (
	"errors"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Verify returns what Open of the same directory would return, the same Recovery or the same error,
// and changes nothing. It takes no lock, so it may see damage that does not exist if the log is
// open. watermark is Options.Watermark.
//
// It differs from Open if there is no directory, which Open creates, and if a write of Open fails.
func Verify(fsys vfs.FS, dir string, watermark LSN) (Recovery, error) {
	v := &survey{fs: fsys, dir: dir, owner: watermark}
	var r Recovery
	var err error
	if r.Created, r.Repaired, _, err = v.look(); err != nil {
		return Recovery{}, err
	}
	if r.Created {
		r.First, r.Next = 1, 1
		return r, nil
	}
	r.First = v.man.segments[0].first
	err = v.each(func(x *examined, err error) error {
		if err == nil {
			r.take(x)
		}
		return x.close(err)
	})
	if err != nil {
		return Recovery{}, err
	}
	return r, nil
}

// look reads the manifest. It returns whether Open would make a new log, which copies of the
// manifest it would rewrite, and which files it would remove.
func (v *survey) look() (created bool, stale, strays []string, err error) {
	r, states, i, err := loadRegister(v.fs, v.dir, manifestName)
	if err = errors.Join(err, r.Close()); err != nil {
		return false, nil, nil, err
	}
	var value []byte
	if i >= 0 {
		value = states[i].value
	}
	strays, err = v.list(value)
	if err != nil || len(v.man.segments) > 0 {
		return false, r.repaired, strays, err
	}
	return true, r.repaired, strays, v.empty()
}

// close closes the examined file and returns err, or else the error of closing.
func (x *examined) close(err error) error {
	if x.f == nil {
		return err
	}
	return errors.Join(err, x.f.Close())
}
