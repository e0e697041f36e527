package wal

import (
	"errors"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Verify returns what Open of the same directory would return, and changes nothing:
// the same Recovery, or the same error. It takes no lock, so that it may see damage
// where there is none if the log is open. The watermark is Options.Watermark.
//
// It differs from Open where there is no directory, which Open makes, and where a
// write of Open fails.
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

// look reads the manifest: whether Open would make a new log, which copies of the
// manifest it would write anew, and which files it would remove.
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

// close closes what was examined and returns err, or what closing met.
func (x *examined) close(err error) error {
	if x.f == nil {
		return err
	}
	return errors.Join(err, x.f.Close())
}
