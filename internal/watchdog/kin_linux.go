package watchdog

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// kin are the living descendants of a process, but for some and those below them. ok is false if /proc
// does not say.
func kin(of int, except map[int]bool) (all []relative, ok bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, false
	}
	below := map[int][]relative{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, found := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ") // the name may hold anything
		var state string
		var parent, group int
		if err != nil || !found {
			continue // it has ended
		}
		if _, err := fmt.Sscan(rest, &state, &parent, &group); err != nil {
			return nil, false
		}
		ok = ok || pid == of
		below[parent] = append(below[parent], relative{pid, group, state == "Z" || state == "X"})
	}
	var walk func(int)
	walk = func(parent int) {
		for _, p := range below[parent] {
			if except[p.pid] {
				continue
			}
			if !p.dead {
				all = append(all, p)
			}
			walk(p.pid)
		}
	}
	walk(of)
	return all, ok
}
