package cli

import (
	"math"
	"os"
	"runtime"
)

// MostJobs bounds --jobs. A seed keeps one processor busy and may take 200 MB: more
// of them at a time are slower, and none of those under way is given up at an
// interrupt.
func MostJobs() int { return max(16, 4*runtime.GOMAXPROCS(0)) }

// CheckJobs refuses numbers that --jobs does not take.
func CheckJobs(jobs int) error {
	if most := MostJobs(); jobs < 0 || jobs > most {
		return Usage("--jobs %d: must be 0 to %d on this machine (0: one per processor, which is %d)", jobs, most, runtime.GOMAXPROCS(0))
	}
	return nil
}

// CheckRange refuses seeds that do not exist: n from the first on.
func CheckRange(from, n uint64) error {
	if n > 0 && n-1 > math.MaxUint64-from {
		return Usage("--from %d --seeds %d: the largest seed is %d; lower one of the two", from, n, uint64(math.MaxUint64))
	}
	return nil
}

// Writable makes a directory and finds out now, not after an hour, whether files
// can be made there.
func Writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}
