package client

import (
	"context"
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// Pair is one row: a key and its value. Rows have no ACL, no owner and no quota: each principal
// that reaches the cell may read, change and delete all of them. No event reports a change of a
// row. Files have all of these.
type Pair = api.Pair

// Expect is the row state that a CompareAndSet requires. Make it with Value or Absent.
type Expect struct {
	value   string
	present bool
}

// Value requires that the row exists and holds v.
func Value(v string) Expect { return Expect{value: v, present: true} }

// Absent requires that the row does not exist. It equals the zero Expect.
func Absent() Expect { return Expect{} }

// Get returns the value of the row key, or fails with ErrNotFound. The read is linearizable: it
// observes every call that had ended before it began. Like all calls on rows, it uses the local
// cell and blocks until the cell has answered or ctx ends.
func (c *Client) Get(ctx context.Context, key string) (string, error) {
	r, err := c.call(ctx, "get", key, api.Get{Key: key})
	if err != nil {
		return "", err
	}
	return r.Value, nil
}

// Put sets the row key to value, whether or not the row exists. It fails with ErrTooLarge if
// key exceeds 1 KiB or value 256 KiB.
func (c *Client) Put(ctx context.Context, key, value string) error {
	_, err := c.call(ctx, "put", key, api.Put{Key: key, Value: value})
	return err
}

// Delete removes the row key, or fails with ErrNotFound.
func (c *Client) Delete(ctx context.Context, key string) error {
	_, err := c.call(ctx, "delete", key, api.Delete{Key: key})
	return err
}

// CompareAndSet sets the row key to value in one atomic step, provided that the row is as expect
// requires. Otherwise it fails with ErrConflict. The error is then a *ConflictError (errors.As)
// that holds the present value.
func (c *Client) CompareAndSet(ctx context.Context, key string, expect Expect, value string) error {
	op := api.CompareAndSet{Key: key, Expect: expect.value, Absent: !expect.present, Value: value}
	_, err := c.call(ctx, "compare-and-set", key, op)
	return err
}

// List returns all rows whose keys begin with prefix, in ascending byte order of the keys, as
// they were at one instant. It fails with ErrTooLarge if there are more than 16,384 rows or 1 MiB
// of keys and values.
func (c *Client) List(ctx context.Context, prefix string) ([]Pair, error) {
	r, err := c.call(ctx, "list", prefix, api.List{Prefix: prefix})
	if err != nil {
		if len(prefix) <= api.MaxKey {
			err = withReason(err, ErrTooLarge, errManyRows)
		}
		return nil, err
	}
	return r.Pairs, nil
}

var errManyRows = fmt.Errorf("more than %d rows or %d bytes: list a longer prefix", api.MaxListPairs, api.MaxListBytes)
