package simtest_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// journalRow has the numbers of the newest entries of a journal. Writers append the next number, a janitor keeps the row
// short, and readers look at the newest entry.
const (
	journalRow = "journal"
	mostKept   = 5
)

// entries returns the text of the row, its numbers, and what the row must still have when it is changed.
func entries(ctx context.Context, c *client.Client) (numbers []string, was client.Expect, err error) {
	text, err := c.Get(ctx, journalRow)
	if errors.Is(err, client.ErrNotFound) {
		return nil, client.Absent(), nil
	}
	return strings.Fields(text), client.Value(text), err
}

// write appends one entry. If another program changes the row meanwhile, it appends none.
func write(ctx context.Context, p scenario.Program) error {
	numbers, was, err := entries(ctx, p.Client())
	if err != nil {
		return err
	}
	next := 1
	if numbers != nil {
		newest, _ := strconv.Atoi(numbers[len(numbers)-1])
		next = newest + 1
	}
	p.Note(fmt.Sprintf("appends entry %d", next))
	return p.Client().CompareAndSet(ctx, journalRow, was, strings.Join(append(numbers, strconv.Itoa(next)), " "))
}

// tidy removes old entries.
func tidy(ctx context.Context, p scenario.Program) error {
	numbers, was, err := entries(ctx, p.Client())
	if err != nil || len(numbers) <= mostKept {
		return err
	}
	p.World().Count("tidied")
	return p.Client().CompareAndSet(ctx, journalRow, was, strings.Join(numbers[len(numbers)-mostKept:], " "))
}

// sweep is tidy with a mistake: it does not notice that a writer has appended an entry meanwhile.
func sweep(ctx context.Context, p scenario.Program) error {
	numbers, _, err := entries(ctx, p.Client())
	if err != nil || len(numbers) <= mostKept {
		return err
	}
	p.Note("keeps entry " + numbers[len(numbers)-1] + " and older ones")
	return p.Client().Put(ctx, journalRow, strings.Join(numbers[len(numbers)-mostKept:], " "))
}

// read looks at the newest entry.
func read(ctx context.Context, p scenario.Program) error {
	numbers, _, err := entries(ctx, p.Client())
	if err != nil || numbers == nil {
		return err
	}
	newest, _ := strconv.Atoi(numbers[len(numbers)-1])
	if before, _ := p.State().(int); newest < before {
		p.World().Break("J1", "entry %d is gone: %s has read it, and now entry %d is the newest", before, scenario.NameOf(p), newest)
	}
	p.SetState(newest)
	return nil
}

// journal is the test: what a reader has read is not overwritten.
func journal(tidy func(context.Context, scenario.Program) error) simtest.Program {
	return simtest.Program{
		Roles: []simtest.Role{
			{Name: "writer", Clients: 2, Turn: write},
			{Name: "reader", Turn: read},
			{Name: "janitor", Programs: 1, Turn: tidy},
		},
		Options: simtest.Options{Seeds: 3},
	}
}

func TestJournal(t *testing.T) {
	totals := journal(tidy).Run(t)
	require.NotZero(t, totals.Counter("tidied").Sum, "the janitor had nothing to do")
}

func TestAJournalWithACarelessJanitorIsCaught(t *testing.T) {
	journal(sweep).Expect(t, "J1")
}
