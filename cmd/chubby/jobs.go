package main

import "runtime"

// mostJobs bounds --jobs. A seed keeps one processor busy and may take 200 MB: more
// of them at a time are slower, and none of those under way is given up at an
// interrupt.
func mostJobs() int { return max(16, 4*runtime.GOMAXPROCS(0)) }

// checkJobs refuses numbers that --jobs does not take.
func checkJobs(jobs int) error {
	if most := mostJobs(); jobs < 0 || jobs > most {
		return usage("--jobs %d: 0 to %d on this machine (0: one a processor, which is %d)", jobs, most, runtime.GOMAXPROCS(0))
	}
	return nil
}
