//go:build !unix

package main

import "time"

// processorTime is 0: this system is not asked.
func processorTime() time.Duration { return 0 }
