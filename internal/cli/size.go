package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sizeUnits are what may stand behind a number of bytes; all are powers of 1024.
var sizeUnits = map[string]int64{
	"": 1, "k": 1 << 10, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}

// ParseSize reads a number of bytes above 0, such as 512M, 4GiB or 1048576. Anything else is an
// error that says what is taken.
func ParseSize(s string) (int64, error) {
	unit := strings.TrimLeft(s, "0123456789")
	factor, ok := sizeUnits[unit]
	n, err := strconv.ParseInt(strings.TrimSuffix(s, unit), 10, 64)
	switch {
	case !ok || strings.TrimSuffix(s, unit) == "":
		return 0, errors.New("it is no size; give bytes, or a number followed by k, K, M, G, KiB, MiB or GiB (powers of 1024), such as 512M")
	case err != nil || n > math.MaxInt64/factor:
		return 0, fmt.Errorf("too large; at most %dG", int64(math.MaxInt64>>30))
	case n == 0:
		return 0, errors.New("give a size above 0, such as 512M")
	}
	return n * factor, nil
}
