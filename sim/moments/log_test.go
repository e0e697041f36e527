package moments

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
)

// The text of a command has its result, and whether a copy had been executed before. The text of an answer to a program
// has the session and the number of its call.
func TestCommandsAndAnswersInWords(t *testing.T) {
	l := NewLog()
	executes := func(c command.Command, v command.Verdict, r api.Result) {
		l.Listen(time.Second, event.Executed{At: linearizability.Position{Slot: 9}, Command: &command.Applied{Command: c, Verdict: v, Result: r}})
	}
	acquire := command.NodeCommand{Guard: 2, Session: 7, Seq: 3, Op: command.Acquire{}}
	executes(acquire, command.Executed, api.Result{Code: api.OK, Detail: api.Held{Gen: 4, Acquisition: 31}})
	executes(acquire, command.Repeated, api.Result{Code: api.LockHeld})
	executes(command.NodeCommand{Guard: 2, Session: 7, Seq: 4, Op: command.OpenNode{}}, command.Executed, api.Result{Code: api.OK, Detail: api.Opened{Created: true}})
	executes(command.Expire{Guard: 2, Session: 7}, command.Executed, api.Result{Code: api.OK})
	l.Listen(time.Second, event.CallEnded{Client: sim.FirstClient, Call: "acquire /a", Trail: &client.CallID{Session: 7, Seq: 3}, Err: client.ErrLockHeld})
	require.Contains(t, l.All[0].Text, "Acquire as call 3 of session 7, in slot 9 and epoch 2 -> ok generation 4 acquisition 31: {")
	require.Contains(t, l.All[1].Text, " -> lock-held, repeated: {")
	require.Contains(t, l.All[2].Text, " -> ok /#0, made: true: {")
	require.Equal(t, "Expire in slot 9: {Guard:2 Session:7}", l.All[3].Text)
	require.Contains(t, l.All[4].Text, "): acquire /a, session 7 seq 3 returned: ")
	executes(nil, command.Refused, api.Result{Code: api.Invalid})
	require.Equal(t, "bytes that are no command, in slot 9 -> refused: invalid", l.All[5].Text)
	raw := string(command.Append(nil, command.Expire{Guard: 2, Session: 7}))
	l.Listen(time.Second, event.Executed{At: linearizability.Position{Slot: 9}, Command: &command.Applied{Verdict: command.Refused, Result: api.Result{Code: api.Invalid}}, Raw: raw})
	require.Equal(t, "as bytes that are no command what is Expire: {Guard:2 Session:7}, in slot 9 -> refused: invalid", l.All[6].Text)
}

// Nothing but the trace says what a fault did to a disk or a memory.
func TestDamageInWords(t *testing.T) {
	disk := Moment{Kind: "fault", Who: 3, At: time.Second, Text: diskDamage + "the value of record 7 goes bad"}
	memory := Moment{Kind: "fault", Who: 2, At: time.Second, Text: memoryDamage + "a row is written"}
	require.Equal(t, "on the disk of n3, the value of record 7 goes bad", disk.Words())
	require.Equal(t, "in the memory of n2, a row is written", memory.Words())
	require.Equal(t, disk.Words()+" (1.000); "+memory.Words()+" (1.000)", deeds([]Moment{disk, memory}))
}

func TestLongNamesAreSqueezed(t *testing.T) {
	long := strings.Repeat("g", 254)
	for text, want := range map[string]string{
		"open /guest/" + long + "/" + long + ", lock-delay 1s": "open /guest/g~254/g~254, lock-delay 1s",
		"set " + strings.Repeat("0", 20):                       "set " + strings.Repeat("0", 20),
		strings.Repeat("0", 21):                                "0~21",
		strings.Repeat("-", 40):                                strings.Repeat("-", 40),
		"":                                                     "",
	} {
		require.Equal(t, want, Squeeze(text))
	}
	l := NewLog()
	l.line("1 2.0 n1 3.0 says it opens /" + long)
	require.Equal(t, "it opens /g~254", l.All[0].Text)
}
