package instant_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/instant"
)

func TestNoInstantIsLaterThanAny(t *testing.T) {
	var none time.Time
	a, b := time.Unix(1, 0), time.Unix(2, 0)
	for _, c := range []struct {
		all  []time.Time
		want time.Time
	}{
		{nil, none}, {[]time.Time{none, none}, none},
		{[]time.Time{none, b}, b}, {[]time.Time{b, none}, b},
		{[]time.Time{a, b}, a}, {[]time.Time{b, a}, a}, {[]time.Time{none, b, none, a, b}, a},
	} {
		require.Equal(t, c.want, instant.Earliest(c.all...), "%v", c.all)
	}
}
