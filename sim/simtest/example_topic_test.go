package simtest_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// topicFile has a line with the number of the oldest message that is kept, and after it the last keptMessages, one in a
// line. A subscriber that is cut off for longer than they last gets errGone.
const (
	topicFile    = "/ls/local/topic"
	keptMessages = 20
)

// errGone means that the subscriber missed messages which the topic does not have any more. It must begin again.
var errGone = errors.New("the next message is not in the topic any more")

func openTopic(ctx context.Context, c *client.Client) (*client.Handle, error) {
	return c.Open(ctx, topicFile, client.OpenOptions{
		Rights: client.Read | client.Write, Create: client.CreateMay, Contents: "1", Events: client.WantContents,
	})
}

// readTopic returns the messages of the topic, and the number of the first.
func readTopic(ctx context.Context, f *client.Handle) (first int, messages []string, stat client.Stat, err error) {
	text, stat, err := f.Contents(ctx)
	if err == nil {
		messages = strings.Split(text, "\n")
		first, err = strconv.Atoi(messages[0])
		messages = messages[1:]
	}
	return first, messages, stat, err
}

// publish appends a message of one line to the topic. If the outcome is unknown, it may have been published.
func publish(ctx context.Context, c *client.Client, message string) error {
	f, err := openTopic(ctx, c)
	if err != nil {
		return err
	}
	defer f.Close(ctx)
	first, messages, stat, err := readTopic(ctx, f)
	if err != nil {
		return err
	}
	messages = append(messages, message)
	if more := len(messages) - keptMessages; more > 0 {
		first, messages = first+more, messages[more:]
	}
	_, err = f.SetContents(ctx, strconv.Itoa(first)+"\n"+strings.Join(messages, "\n"), stat.Content) // fails if another publisher came before
	return err
}

// subscriber delivers the messages after number last, in their order. At first, last is -1: it begins with the next.
type subscriber struct {
	last    int
	onEvent func(s *subscriber, first int, messages []string, deliver func(n int, message string)) error
}

// receive delivers messages until ctx ends. It takes an event for a reason to read again, whatever its kind.
func (s *subscriber) receive(ctx context.Context, c *client.Client, deliver func(n int, message string)) error {
	f, err := openTopic(ctx, c)
	if err != nil {
		return err
	}
	defer f.Close(ctx)
	for take := (*subscriber).takeAll; ; take = s.onEvent { // at first, what came since the last call
		first, messages, _, err := readTopic(ctx, f)
		if err != nil {
			return err
		}
		if err := take(s, first, messages, deliver); err != nil {
			return err
		}
		if _, err := f.Events().Next(ctx); err != nil {
			return err
		}
	}
}

// takeAll is right: it delivers whatever is new, however many messages that is.
func (s *subscriber) takeAll(first int, messages []string, deliver func(n int, message string)) error {
	newest := first + len(messages) - 1
	if s.last < 0 {
		s.last = newest
	}
	if s.last+1 < first {
		return errGone
	}
	for s.last < newest {
		s.last++
		deliver(s.last, messages[s.last-first])
	}
	return nil
}

// takeNewest is the mistake: it takes each event for one message. One event may stand for several: the client got
// EventReadAgain, or the program read when the next message was there already.
func (s *subscriber) takeNewest(first int, messages []string, deliver func(n int, message string)) error {
	if newest := first + len(messages) - 1; newest > s.last {
		s.last = newest
		deliver(newest, messages[newest-first])
	}
	return nil
}

// inOrder returns a deliver function that calls missed if a message does not follow the one before.
func inOrder(missed func(n, before int)) func(n int, message string) {
	before := 0
	return func(n int, _ string) {
		if before != 0 && n != before+1 {
			missed(n, before)
		}
		before = n
	}
}

// subscription is what a program of the simulator keeps from turn to turn.
type subscription struct {
	subscriber
	deliver func(n int, message string)
}

// topic is the test: no subscriber misses a message.
func topic(onEvent func(*subscriber, int, []string, func(int, string)) error) simtest.Program {
	return simtest.Program{
		Turn: func(ctx context.Context, p scenario.Program) error {
			if p.Draw().Chance(1, 3) {
				return publish(ctx, p.Client(), "hello")
			}
			s, _ := p.State().(*subscription)
			if s == nil {
				order := inOrder(func(n, before int) {
					p.World().Break("T1", "%s got message %d after message %d", event.ProgramID(p.ID()), n, before)
				})
				s = &subscription{subscriber{last: -1, onEvent: onEvent}, func(n int, message string) {
					p.Note(fmt.Sprintf("gets message %d", n))
					p.World().Count("delivered")
					order(n, message)
				}}
				p.SetState(s)
			}
			wait, cancel := p.WithTimeout(ctx, time.Second)
			defer cancel()
			err := s.receive(wait, p.Client(), s.deliver)
			if errors.Is(err, errGone) {
				p.World().Count("began again")
				p.SetState(nil)
			} else if wait.Err() != nil {
				return nil // it goes on in its next turn
			}
			return err
		},
		Options: simtest.Options{Seeds: 3, Clients: 3},
	}
}

func TestTopic(t *testing.T) {
	totals := topic((*subscriber).takeAll).Run(t)
	require.NotZero(t, totals.Counter("delivered").Sum, "no message was delivered")
}

func TestATopicWithAMessagePerEventIsCaught(t *testing.T) {
	topic((*subscriber).takeNewest).Expect(t, "T1")
}

// received runs publisher and subscriber on goroutines, in a bubble: two messages are published, and the master dies,
// while the subscriber is busy with a first message. It returns the next message that the subscriber gets.
func received(t *testing.T, onEvent func(*subscriber, int, []string, func(int, string)) error) (next string) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		cell := chubbytest.Start(t, chubbytest.Options{Lease: 12 * time.Second, Grace: 45 * time.Second})
		ann, bob := cell.Client(t), cell.Client(t)
		got, busy, ended := make(chan string, 3), make(chan struct{}), make(chan error)
		s := &subscriber{last: 0, onEvent: onEvent}
		go func() {
			ended <- s.receive(ctx, bob, func(n int, message string) {
				got <- fmt.Sprint(n, " ", message)
				<-busy
			})
		}()
		require.NoError(t, publish(ctx, ann, "one"))
		require.Equal(t, "1 one", <-got)
		require.NoError(t, publish(ctx, ann, "two"))
		cell.Kill(cell.Master(ctx))
		require.NoError(t, publish(ctx, ann, "three"))
		close(busy)
		next = <-got
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	return next
}

func TestTopicOnGoroutines(t *testing.T) {
	require.Equal(t, "2 two", received(t, (*subscriber).takeAll))
}

func TestATopicWithAMessagePerEventOnGoroutines(t *testing.T) {
	require.Equal(t, "3 three", received(t, (*subscriber).takeNewest), "the trap did not close")
}
