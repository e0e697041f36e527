package cell

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Rows that two replicas do not share are named as reports name users' rows, sessions and calls.
func TestRowsThatDifferAreNamed(t *testing.T) {
	view := func(all map[string]string) db.View {
		d := db.New()
		tx := d.Begin()
		for k, v := range all {
			tx.Put(k, v)
		}
		tx.Commit()
		return d.View()
	}
	a, b, c := rows.UserKey("g0/a"), rows.UserKey("g0/b"), rows.UserKey("g0/c")
	session := "s\x00\x00\x00\x00\x00\x00\x00\x07"
	answer := "d\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x03"
	for want, pair := range map[string][2]map[string]string{
		"":                           {{a: "1", b: "2"}, {a: "1", b: "2"}},
		"row g0/a has another value": {{a: "1", b: "2"}, {a: "3", b: "2"}},
		"row g0/b is missing":        {{a: "1", c: "2"}, {a: "1", b: "2", c: "2"}},
		"row g0/b is there alone":    {{a: "1", b: "2", c: "2"}, {a: "1", c: "2"}},
		"row g0/c is missing":        {{}, {c: "2"}},
		"row g0/c is there alone":    {{c: "2"}, {}},
		"row g0/a is there alone, row g0/b is missing":                          {{a: "1"}, {b: "1"}},
		"the answer of call 3 of session 7 is missing":                          {{}, {answer: "x"}},
		"the row of session 7 has another value":                                {{session: "x"}, {session: "y"}},
		`the row with key "zz" is missing`:                                      {{}, {"zz": "1"}},
		"row g0/a is missing, row g0/b is missing, row g0/c is missing, 1 more": {{}, {a: "1", b: "1", c: "1", "z": ""}},
	} {
		require.Equal(t, want, differences(view(pair[0]), view(pair[1])))
	}
}
