package api_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

func TestAMaskNamesItsKinds(t *testing.T) {
	for kind, bit := range map[api.EventKind]api.EventMask{
		api.EventContents: api.WantContents, api.EventChildren: api.WantChildren, api.EventInvalid: api.WantInvalid,
		api.EventLockAcquired: api.WantLockAcquired, api.EventLockWanted: api.WantLockWanted,
	} {
		require.True(t, bit.Has(kind), kind)
		require.False(t, (^bit).Has(kind), kind)
	}
	require.True(t, api.WantFailover.Has(api.EventReadAgain), "what is wanted may have been missed")
	require.False(t, api.EventMask(0).Has(api.EventReadAgain))
	require.False(t, api.EventMask(0xff).Has(0), "none is no kind")
	require.False(t, api.EventMask(0xff).Has(api.EventDrop) || api.EventMask(0xff).Has(api.EventDropAll), "they are for no handle")
	require.False(t, api.EventMask(0x40).Valid())
	require.True(t, (api.WantFailover | api.WantContents).Valid())
}

// What a decoder accepts, an encoder has made: an event with parts that make no sense is refused.
func TestMalformedEventsAreRefused(t *testing.T) {
	const lease, ref = "0541 05 05 01 02 00 00 01 00 00 00 00 06 01 00 ", "022f61 07 05 "
	for name, tail := range map[string]string{
		"kind 0":                  "01 00 " + ref + "01",
		"a kind to come":          "01 09 " + ref + "01",
		"a change that is none":   "01 02 " + ref + "0163 00 01",
		"a child without a name":  "01 02 " + ref + "00 01 01",
		"a lock in no mode":       "01 05 " + ref + "00 07 01",
		"a lock of no holder":     "01 05 " + ref + "01 00 01",
		"numbers below the count": "02 01 " + ref + "01 " + ref + "01",
		"more than there may be":  "8102 " + strings.Repeat("01 "+ref, api.MaxEvents+1) + "8102",
		"a count without events":  "05",
		"a drop without a number": "01 07 022f61 05 00 01",
		"a drop of no path":       "01 07 0161 05 01 01",
	} {
		_, err := api.DecodeReply(unhex(t, lease+tail))
		require.ErrorIs(t, err, api.ErrMalformed, name)
	}
	p, err := api.DecodeReply(unhex(t, lease+"02 01 "+ref+"06 "+ref+"02"))
	require.NoError(t, err)
	require.Len(t, p.Detail.(api.Leased).Events, 2)
}
