package recipe

import "github.com/chubbycell/chubby/client"

// LockOf returns the lock of a term.
func LockOf(t *Term) *client.Lock { return t.lock }
