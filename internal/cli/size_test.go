package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSizesHaveUnits(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1048576": 1 << 20, "3k": 3 << 10, "3K": 3 << 10, "3KiB": 3 << 10, "512M": 512 << 20, "512MiB": 512 << 20, "4G": 4 << 30, "4GiB": 4 << 30, "007": 7,
		"9223372036854775807": 9223372036854775807, "8589934591G": 8589934591 << 30,
	} {
		n, err := ParseSize(text)
		require.NoError(t, err, text)
		require.Equal(t, want, n, text)
	}
	for text, says := range map[string]string{
		"5i": "it is no size", "5iB": "it is no size", "5kB": "it is no size", "5KB": "it is no size", "5B": "it is no size", "5Mi": "it is no size", "5m": "it is no size",
		"5 M": "it is no size", " 5M": "it is no size", "": "it is no size", "M": "it is no size", "-5": "it is no size", "+5": "it is no size", "1.5G": "it is no size", "0x10": "it is no size",
		"5MM": "it is no size", "5T": "it is no size", "0": "above 0", "0M": "above 0",
		"9223372036854775808": "too large", "8589934592G": "too large",
	} {
		_, err := ParseSize(text)
		require.ErrorContains(t, err, says, text)
	}
}
