package watchdog

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// setDeathSignal has a command killed when the thread that started it ends.
func setDeathSignal(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// adoptOrphans makes this process the parent of its descendants whose own parents end, so that kin
// finds them.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } // since Linux 3.4

// thisProgram is the program that runs, also if another version is at its path by now.
func thisProgram() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self, nil
	}
	return os.Executable()
}

// takeName names this process in lists of processes.
func takeName(name string) { _ = os.WriteFile("/proc/self/comm", []byte(name), 0) }

// SinceBoot is the instant by a clock that all processes of this machine read the same, and
// that goes on while it is suspended.
func SinceBoot() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		panic(err) // the kernel is older than Linux 2.6.39
	}
	return time.Duration(t.Nano())
}
