package lessons

import (
	"fmt"
	"strings"
	"time"
)

// harm says in words what harm a run did; "": none.
type harm func(r *run) string

// count says in words what else is to be seen; "": nothing.
type count func(r *run) string

// lostUpdate is an accepted write that the value does not contain at the end.
func lostUpdate(r *run) string {
	var names []string
	for i := range r.Writes {
		if r.Writes[i].Lost {
			names = append(names, r.Writes[i].Client)
		}
	}
	switch {
	case len(names) > 3:
		return fmt.Sprintf("%d updates lost", len(names))
	case len(names) > 0:
		return "update of " + strings.Join(names, ", ") + " lost"
	}
	return ""
}

// paidTwice is an order that was paid more than once.
func paidTwice(r *run) string {
	for _, order := range orders {
		if n := r.counts["paid "+order]; n > 1 {
			return fmt.Sprintf("%s is paid %d times", order, n)
		}
	}
	return ""
}

// unpaid is an order that was not paid.
func unpaid(r *run) string {
	for _, order := range orders {
		if r.counts["ordered "+order] > 0 && r.counts["paid "+order] == 0 {
			return order + " is not paid"
		}
	}
	return ""
}

// waitsLongerThan is a client that waits for the lock for longer than d.
func waitsLongerThan(d time.Duration) harm {
	return func(r *run) string {
		for _, w := range r.Waits {
			if w.To-w.From > d {
				return fmt.Sprintf("%s waits %.0f s for the lock", w.Client, (w.To - w.From).Seconds())
			}
		}
		return ""
	}
}

// wrongSum is a sum at the end, at the resource or in the accounts, other than want.
func wrongSum(want int) harm {
	return func(r *run) string {
		sum, booked := r.counts["sum"]
		for i := range r.Writes {
			if w := &r.Writes[i]; w.Accepted && !booked {
				sum = int(w.Value)
			}
		}
		if sum != want {
			return fmt.Sprintf("the sum is %d and should be %d", sum, want)
		}
		return ""
	}
}

// messagesPerLock is more messages between clients and the service than most, for each lock.
func messagesPerLock(most float64) harm {
	return func(r *run) string {
		if n := float64(r.Messages) / float64(len(r.Holds)); n > most {
			return fmt.Sprintf("%.0f messages for each lock", n)
		}
		return ""
	}
}

// noted is a number that machines or programs have noted, with words for it.
func noted(key, format string) count {
	return func(r *run) string {
		if n := r.counts[key]; n > 0 {
			return fmt.Sprintf(format, n)
		}
		return ""
	}
}
