package page

import (
	"slices"
	"sort"
	"time"

	"github.com/chubbycell/chubby/sim/moments"
)

// reading is one reading of a clock: true time, and what the clock showed.
type reading struct{ at, local time.Duration }

// life is the readings of a machine's clock from one start of the machine to the next. The page draws lanes by own time:
// it begins at the true time of the start and passes at the clock's rate. So lanes can stand side by side although
// the clocks were set differently.
type life struct{ readings []reading }

func (l *life) began() reading { return l.readings[0] }

// clock is all lives of one machine.
type clock struct{ lives []life }

// note takes the reading of a moment.
func (c *clock) note(m *moments.Moment) {
	if m.Local == "" {
		return
	}
	r := reading{m.At, moments.Seconds(m.Local)}
	if starts := m.Kind == "fault" && verb(m.Text) == "start"; starts || len(c.lives) == 0 {
		c.lives = append(c.lives, life{})
	}
	l := &c.lives[len(c.lives)-1]
	if n := len(l.readings); n == 0 || r.at > l.readings[n-1].at {
		l.readings = append(l.readings, r)
	}
}

// lifeAt returns the life that an instant of true time falls in; nil: the machine had not started.
func (c *clock) lifeAt(at time.Duration) *life {
	i, _ := slices.BinarySearchFunc(c.lives, at, func(l life, at time.Duration) int {
		if l.began().at <= at {
			return -1
		}
		return 1
	})
	if i == 0 {
		return nil
	}
	return &c.lives[i-1]
}

// when returns the true time at which the clock showed local, in the life of the instant at. After the last reading of
// that life it assumes a clock without error of rate. It returns at if the machine had not started.
func (c *clock) when(at, local time.Duration) time.Duration {
	l := c.lifeAt(at)
	if l == nil {
		return at
	}
	all := l.readings
	i := sort.Search(len(all), func(i int) bool { return all[i].local >= local })
	switch {
	case i == 0:
		return all[0].at
	case i == len(all):
		return all[i-1].at + local - all[i-1].local
	}
	a, b := all[i-1], all[i]
	return a.at + time.Duration(float64(b.at-a.at)*float64(local-a.local)/float64(b.local-a.local))
}

// tolerance is how far a reading may lie from the line between two points.
const tolerance = 2 * time.Microsecond

// points returns a few of the readings. All others lie within tolerance of the straight lines between these.
func (l *life) points() []reading {
	all := l.readings
	points := []reading{all[0]}
	low, high := -1.0, -1.0 // bounds of the slope of a line that misses no reading since the last point
	for i := 1; i < len(all); i++ {
		from := points[len(points)-1]
		dt, dl := float64(all[i].at-from.at), float64(all[i].local-from.local)
		least, most := (dl-float64(tolerance))/dt, (dl+float64(tolerance))/dt
		if low < 0 {
			low, high = least, most
			continue
		}
		if least > high || most < low || dl/dt > high || dl/dt < low {
			points = append(points, all[i-1])
			from = all[i-1]
			dt, dl = float64(all[i].at-from.at), float64(all[i].local-from.local)
			low, high = (dl-float64(tolerance))/dt, (dl+float64(tolerance))/dt
			continue
		}
		low, high = max(low, least), min(high, most)
	}
	if last := all[len(all)-1]; last != points[len(points)-1] {
		points = append(points, last)
	}
	return points
}
