//go:build !unix

package simcmd

import "time"

// processorTime returns 0: on this system processor time is not measured.
func processorTime() time.Duration { return 0 }
