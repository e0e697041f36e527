//go:build !unix

package simcmd

import "time"

// processorTime is 0: this system is not asked.
func processorTime() time.Duration { return 0 }
