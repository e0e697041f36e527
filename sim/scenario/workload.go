package scenario

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
)

// Workload is what client programs do. A cell has some client machines, each with some
// programs that share one session; each program makes one turn after the other.
type Workload interface {
	// Name is what --workload and reports call it.
	Name() string
	// Help says in one line what its programs do.
	Help() string
	// Turn makes one step: a call, or a few that belong together. It may block, through
	// the program's client and Sleep alone. Each call is reported by Program.Done. State
	// that outlives a turn belongs into Program.State.
	Turn(ctx context.Context, p Program)
}

// Program is one thread of a client machine.
type Program interface {
	// Client is the session that the program shares with the others of its machine. They
	// call through it at the same time, so a later Get of this program does not settle
	// an outcome that is unknown.
	Client() *client.Client
	// Draw is where the program's choices come from.
	Draw() *sim.Draw
	// ID names the program in histories; a new life of its machine has others. event.ProgramID prints it for people:
	// program 2 of c25.
	ID() int64
	// Now is the time by the machine's clock, Sleep waits by it, and WithTimeout bounds a
	// call by it; context.WithTimeout would ask the clock of the real machine.
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	// State is whatever the workload keeps for the program: nil at first.
	State() any
	SetState(any)
	// Healed says that the safety phase is over: each call of a turn that begins from then on must
	// have an answer within a minute (a refusal such as ErrLockHeld is one), or L1 breaks when it is reported. Each program makes one more turn
	// then, and its client is closed, which frees its locks without lock-delay.
	Healed() bool
	// Done reports that a call has ended: what it was, for people; whether it was on
	// something that all programs want (a fifth of all calls must be for a seed to count);
	// and its error as the client gave it. A call of a turn that began after the safety phase
	// must have had an answer, or L1 breaks. An error that ends the session ends the program
	// after this turn.
	Done(call string, contended bool, err error)
	// Note tells checkers, and the story of a break, what the program takes for true or is about to do: that it holds a lock, or lets it
	// go. It is no call, and counts for nothing.
	Note(text string)
	// World is for true time (World.Now), which no program can read and a checker may be told: read it before you look at what
	// you tell, since a machine may be paused between any two lines; for marks in the trace (World.Count, World.Result) and for World.Break, by
	// which a program that sees something impossible ends the run.
	World() *sim.World
}
