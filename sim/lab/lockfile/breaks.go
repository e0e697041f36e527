package lockfile

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const (
	derived  = "[derived]"
	document = "[doc]"
	known    = "[known]"
)

// stale is S of the breakers.
const stale = 30 * time.Second

var (
	plain = lab.Variant{Name: "exclusive create", Mark: document, Guard: lab.NoGuard, Build: on(lock{}, export{})}
	links = lab.Variant{Name: "link, and a look at the links", Mark: document, Guard: lab.NoGuard, Build: on(lock{mode: linking}, export{})}
	broke = lab.Variant{Name: "a breaker", Mark: known, Guard: lab.NoGuard, Build: on(lock{stale: stale}, export{})}
)

func race() lab.Break {
	return lab.Break{
		ID: "N1", Mark: known,
		Title:  "create is LOOKUP and CREATE: two clients look before either creates",
		Lesson: "looking and then creating are two steps: only the server can create a file exactly once",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 500 * time.Microsecond, Work: 2 * time.Second})
		},
		Faulty: []lab.Variant{
			{Name: "LOOKUP, then CREATE (NFSv2)", Mark: known, Guard: lab.NoGuard, Build: on(lock{mode: looking}, export{})},
		},
		Repaired: []lab.Variant{
			plain, links,
			{Name: "LOOKUP, then CREATE (NFSv2)", Mark: derived, Guard: lab.CompareAndSwap, Build: on(lock{mode: looking}, export{})},
		},
	}
}

func reply() lab.Break {
	return lab.Break{
		ID: "N2", Mark: known,
		Title:  "the answer to a create is lost, the server restarts, and the call that comes again finds its own file",
		Lesson: "a call that may arrive twice needs a name that survives the server: the verifier is in the file, while the stored answer was in memory",
		Harm:   lab.WaitsFor(time.Minute),
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 5 * time.Second, Work: time.Second})
			b.At(700*time.Microsecond, func() { b.Cut([]string{host}, []string{"A"}, 5*time.Millisecond) })
			b.At(10*time.Millisecond, func() { b.Crash(host, 500*time.Millisecond) })
		},
		Faulty: []lab.Variant{
			{Name: "guarded create", Mark: derived, Guard: lab.NoGuard, Build: on(lock{mode: guarded}, export{})},
		},
		Repaired: []lab.Variant{plain, links},
	}
}

func breakers() lab.Break {
	return lab.Break{
		ID: "N3", Mark: known,
		Title:  "two clients find the file of a dead holder stale, and the second removes that of the first",
		Lesson: "unlink names a path, not a file: to break a lock, a client needs a second lock for that, and must look again once it holds it",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: 5 * time.Second})
			b.Client("C", lab.Job{Start: 530 * time.Millisecond, Work: 6 * time.Second})
			b.When("A", lab.Read, func() { b.Crash("A", -1) })
		},
		Faulty: []lab.Variant{broke},
		Repaired: []lab.Variant{
			{Name: "a breaker with a lock file of its own", Mark: derived, Guard: lab.NoGuard, Build: on(lock{stale: stale, careful: true}, export{})},
		},
	}
}

func pause() lab.Break {
	return lab.Break{
		ID: "N4", Mark: known,
		Title:  "the holder is paused for longer than S, and a breaker removes its file",
		Lesson: "a breaker makes a lease that the holder never agreed to, and there is no token by which to refuse it",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 40 * time.Second})
			b.When("A", lab.Read, func() { b.Pause("A", time.Minute) })
		},
		Faulty: []lab.Variant{broke},
		Repaired: []lab.Variant{
			{Name: "no breaker", Mark: derived, Guard: lab.NoGuard, Build: on(lock{}, export{})},
			{Name: "the resource reads the file", Mark: derived, Guard: lab.CheckThenAct, Build: on(lock{stale: stale}, export{})},
			{Name: "a breaker", Mark: derived, Guard: lab.CompareAndSwap, Build: on(lock{stale: stale}, export{})},
		},
	}
}

func crash() lab.Break {
	return lab.Break{
		ID: "N5", Mark: known,
		Title:  "the holder crashes, and its file stays",
		Lesson: "a file is no lease: without a breaker the first crash blocks all others for ever, and with one a pause does harm",
		Harm:   lab.WaitsFor(time.Minute),
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: time.Second})
			b.When("A", lab.Read, func() { b.Crash("A", -1) })
		},
		Faulty:   []lab.Variant{plain},
		Repaired: []lab.Variant{broke},
	}
}

func async() lab.Break {
	return lab.Break{
		ID: "N6", Mark: known,
		Title:  "the export is async, and the server loses power with a file that it had answered for",
		Lesson: "an answer before the disk has it is a promise that a power cut breaks; sync is the default for a reason",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Start: 100 * time.Millisecond, Work: 5 * time.Second})
			b.Client("B", lab.Job{Start: 1800 * time.Millisecond, Work: 6 * time.Second})
			b.At(500*time.Millisecond, func() { b.Crash(host, time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: "export async", Mark: document, Guard: lab.NoGuard, Build: on(lock{}, export{async: true})},
		},
		Repaired: []lab.Variant{
			{Name: "export sync", Mark: document, Guard: lab.NoGuard, Build: on(lock{}, export{})},
			{Name: "export async", Mark: derived, Guard: lab.CompareAndSwap, Build: on(lock{}, export{async: true})},
		},
	}
}
