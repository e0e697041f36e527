package scenario

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
)

// Workload is what client programs do. A cell has several client machines, each with several
// programs that share one session. Each program makes one turn after the other.
type Workload interface {
	// Name is the name for --workload and reports.
	Name() string
	// Help describes the programs in one line.
	Help() string
	// Turn makes one step: a call, or a few calls that belong together. It may block only in the
	// program's client and in Sleep. It must report each call with Program.Done. State that
	// outlives a turn belongs into Program.State.
	Turn(ctx context.Context, p Program)
}

// Program is one thread of a client machine.
type Program interface {
	// Client is the session that the program shares with the other programs of its machine. They
	// make calls at the same time, so a later Get of this program does not settle an unknown
	// outcome.
	Client() *client.Client
	// Draw makes the program's choices.
	Draw() *sim.Draw
	// ID names the program in histories; a new life of its machine has other IDs. event.ProgramID
	// formats it for people: program 2 of c25.
	ID() int64
	// Role is the role of the machine (Cast); "": it has none. NameOf names the program with its role.
	Role() string
	// Now is the time of the machine's clock. Sleep waits on this clock, and WithTimeout bounds a
	// call by it; context.WithTimeout would use the clock of the real machine.
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	// State holds whatever the workload keeps for the program; it is nil at first.
	State() any
	SetState(any)
	// Healed reports that the safety phase is over. Each call of a turn that begins after this must
	// have an answer within a minute (a refusal such as ErrLockHeld is one); otherwise L1 breaks
	// when the call is reported. Each program then makes one more turn, and its client is closed,
	// which frees its locks without lock-delay.
	Healed() bool
	// Done reports that a call has ended. call describes it for people. contended says whether it
	// was on something that all programs want; a fifth of all calls must be contended for a seed to
	// count. err is its error as the client returned it. A call of a turn that began after the
	// safety phase must have had an answer, or L1 breaks. An error that ends the session ends the
	// program after this turn.
	Done(call string, contended bool, err error)
	// Note tells checkers, and the story of a break, what the program believes or is about to do:
	// that it holds a lock, or releases it. It does not count as a call.
	Note(text string)
	// World is the world, for three uses. World.Now is true time, which a program may report to a
	// checker but not act on; read it before the state that you report, since a machine may be
	// paused between any two lines. World.Count and World.Result mark the trace. With World.Break,
	// a program that sees something impossible ends the run.
	World() *sim.World
}
