package client

import (
	"context"

	"github.com/chubbycell/chubby/replica/api"
)

// Pair is one row.
type Pair = api.Pair

// Expect is what a CompareAndSet expects of a row. Make it with Value or Absent.
type Expect struct {
	value   string
	present bool
}

// Value expects that the row is there and holds v.
func Value(v string) Expect { return Expect{value: v, present: true} }

// Absent expects that there is no row. It is the zero Expect.
func Absent() Expect { return Expect{} }

// Get returns what the row key holds, or fails with ErrNotFound. It is a
// linearizable read: it sees every call that had ended before it began.
func (c *Client) Get(ctx context.Context, key string) (string, error) {
	r, err := c.call(ctx, "get", key, api.Get{Key: key})
	if err != nil {
		return "", err
	}
	return r.Value, nil
}

// Put makes the row key hold value, whether or not it was there.
func (c *Client) Put(ctx context.Context, key, value string) error {
	_, err := c.call(ctx, "put", key, api.Put{Key: key, Value: value})
	return err
}

// Delete removes the row key, or fails with ErrNotFound.
func (c *Client) Delete(ctx context.Context, key string) error {
	_, err := c.call(ctx, "delete", key, api.Delete{Key: key})
	return err
}

// CompareAndSet makes the row key hold value if it is as expected, in one
// atomic step, or fails with ErrConflict; errors.As to *ConflictError says how
// the row was.
func (c *Client) CompareAndSet(ctx context.Context, key string, expect Expect, value string) error {
	op := api.CompareAndSet{Key: key, Expect: expect.value, Absent: !expect.present, Value: value}
	_, err := c.call(ctx, "compare-and-set", key, op)
	return err
}

// List returns all rows whose keys begin with prefix, in ascending order of
// their keys' bytes, as they were at one instant. It fails with ErrTooLarge where
// they exceed api.MaxListPairs or api.MaxListBytes.
func (c *Client) List(ctx context.Context, prefix string) ([]Pair, error) {
	r, err := c.call(ctx, "list", prefix, api.List{Prefix: prefix})
	if err != nil {
		return nil, err
	}
	return r.Pairs, nil
}
