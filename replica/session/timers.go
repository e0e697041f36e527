package session

import "cmp"

// timers are the sessions that something is due for, the earliest at the front:
// by instant and then by session, so that the order is that of the instants and of
// nothing else. Each session knows its place, so moving one costs as much as the
// heap is deep, however many there are.
type timers []*entry

// set makes something due for a session at e.due, or nothing, if that is zero.
func (t *timers) set(e *entry) {
	switch {
	case e.due.IsZero() && e.place == nowhere:
	case e.due.IsZero():
		t.remove(e)
	case e.place == nowhere:
		e.place = len(*t)
		*t = append(*t, e)
		t.up(e.place)
	default:
		t.down(t.up(e.place))
	}
}

// nowhere is the place of a session that nothing is due for.
const nowhere = -1

func (t *timers) remove(e *entry) {
	i, last := e.place, len(*t)-1
	t.swap(i, last)
	(*t)[last] = nil
	*t = (*t)[:last]
	e.place = nowhere
	if i < last {
		t.down(t.up(i))
	}
}

func (t timers) less(i, j int) bool {
	a, b := t[i], t[j]
	return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.id, b.id)) < 0
}

func (t timers) swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].place, t[j].place = i, j
}

func (t timers) up(i int) int {
	for i > 0 && t.less(i, (i-1)/2) {
		t.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
	return i
}

func (t timers) down(i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(t); c++ {
			if t.less(c, least) {
				least = c
			}
		}
		if least == i {
			return
		}
		t.swap(i, least)
		i = least
	}
}
