package versions_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/versions"
)

func TestCommonIsTheHighestThatBothHave(t *testing.T) {
	for _, c := range []struct {
		a, b versions.Range
		want byte // 0: none
	}{
		{versions.Range{Oldest: 2, Newest: 2}, versions.Range{Oldest: 2, Newest: 2}, 2},
		{versions.Range{Oldest: 2, Newest: 3}, versions.Range{Oldest: 2, Newest: 2}, 2},
		{versions.Range{Oldest: 2, Newest: 4}, versions.Range{Oldest: 3, Newest: 5}, 4},
		{versions.Range{Oldest: 2, Newest: 255}, versions.Range{Oldest: 255, Newest: 255}, 255},
		{versions.Range{Oldest: 1, Newest: 2}, versions.Range{Oldest: 3, Newest: 4}, 0},
		{versions.Range{Oldest: 1, Newest: 2}, versions.Range{}, 0},
		{versions.Range{}, versions.Range{}, 0},
		{versions.Range{Oldest: 4, Newest: 3}, versions.Range{Oldest: 1, Newest: 9}, 0},
	} {
		for _, swapped := range []bool{false, true} {
			if swapped {
				c.a, c.b = c.b, c.a
			}
			v, ok := c.a.Common(c.b)
			require.Equal(t, c.want != 0, ok, "%v and %v", c.a, c.b)
			if ok {
				require.Equal(t, c.want, v, "%v and %v", c.a, c.b)
			}
		}
	}
}

func TestTextOfARange(t *testing.T) {
	require.Equal(t, "5", versions.Range{Oldest: 5, Newest: 5}.String())
	require.Equal(t, "5 to 6", versions.Range{Oldest: 5, Newest: 6}.String())
	require.Equal(t, "none", versions.Range{}.String())
	require.True(t, versions.Range{Oldest: 5, Newest: 5}.IsOlder(versions.Range{Oldest: 5, Newest: 6}))
	for _, r := range []versions.Range{{Oldest: 5, Newest: 5}, {Oldest: 1, Newest: 255}} {
		got, err := versions.Parse(r.Text())
		require.NoError(t, err)
		require.Equal(t, r, got)
	}
	for _, bad := range []string{"", "5", "-", "5-", "6-5", "0-0", "5-256", "05-6", "5-6 ", "5-6-7", "+5-6"} {
		_, err := versions.Parse(bad)
		require.ErrorContains(t, err, "like 5-6", bad)
	}
}
