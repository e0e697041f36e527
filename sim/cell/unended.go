package cell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/workload"
)

// The most programs that a report of L1 names, and the most places at which it counts the others.
const (
	mostUnended = 3
	mostPlaces  = 4
)

// unended returns where the programs wait that have not ended: the first ones by name, the others by number and place.
func (c *seedRun) unended() string {
	var all []sim.Blocked
	for _, m := range c.machines.Clients {
		for _, b := range c.world.Blocked(m.Addr()) {
			if strings.HasPrefix(b.Name, workload.ThreadName) {
				b.Calls = slices.DeleteFunc(b.Calls, workload.IsOfScene)
				all = append(all, b)
			}
		}
	}
	return waiting(all)
}

// waiting names the first programs, and counts the others by the place at which they wait.
func waiting(all []sim.Blocked) string {
	var parts, places []string
	for _, b := range all[:min(len(all), mostUnended)] {
		parts = append(parts, b.String())
	}
	counts := map[string]int{}
	for _, b := range all[len(parts):] {
		_, place, _ := strings.Cut(b.String(), ") waits")
		if counts[place] == 0 {
			places = append(places, place)
		}
		counts[place]++
	}
	if len(places) == 0 {
		return strings.Join(parts, "; ")
	}
	slices.SortStableFunc(places, func(a, b string) int { return counts[b] - counts[a] })
	named := 0
	var others []string
	for _, place := range places[:min(len(places), mostPlaces)] {
		named += counts[place]
		verb := "wait"
		if counts[place] == 1 {
			verb = "waits"
		}
		others = append(others, fmt.Sprintf("%d %s%s", counts[place], verb, place))
	}
	more := len(all) - len(parts)
	if left := more - named; left > 0 {
		others = append(others, fmt.Sprintf("%d elsewhere", left))
	}
	return strings.Join(append(parts, fmt.Sprintf("%d more: %s", more, strings.Join(others, ", "))), "; ")
}
