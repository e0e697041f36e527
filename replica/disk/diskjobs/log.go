package diskjobs

import (
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
)

// Log does one log job. An error is final: the store must not be used again.
func Log(st *store.Store, j driver.LogJob) error {
	switch {
	case j.Idle:
		return st.Idle()
	case j.Below > 0:
		return st.Truncate(j.Below)
	}
	if len(j.Records) > 0 {
		if err := st.Append(j.First, j.Records); err != nil {
			return err
		}
	}
	if j.Sync {
		return st.Sync()
	}
	return nil
}
