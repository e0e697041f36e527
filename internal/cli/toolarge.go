package cli

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mostKey is the annotation of a flag with the largest value that it takes.
const mostKey = "chubby-most"

// AtMost notes the largest value of a duration flag, which the command checks: for
// those that are too large to be read.
func AtMost(c *cobra.Command, flag string, most time.Duration) {
	if err := c.Flags().SetAnnotation(flag, mostKey, []string{most.String()}); err != nil {
		panic(err) // there is no such flag
	}
}

// length is a duration above 0 as the flags take them, whether or not 64 bits hold it.
var length = regexp.MustCompile(`^\+?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$`)

// tooLarge is the error for a flag whose value is well-formed and too large; nil if
// something else is wrong.
func tooLarge(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return nil
	}
	f := bad.GetFlag()
	switch kind := f.Value.Type(); {
	case strings.HasPrefix(kind, "duration") && hasTooLong(bad.GetValue()):
		most := time.Duration(math.MaxInt64).String()
		if noted := f.Annotations[mostKey]; len(noted) > 0 {
			most = noted[0]
		}
		return Usage("--%s %s: too large; at most %s", f.Name, bad.GetValue(), most)
	case kind == "uint64" && errors.Is(err, strconv.ErrRange):
		return Usage("--%s %s: too large; at most %d", f.Name, bad.GetValue(), uint64(math.MaxUint64))
	case errors.Is(err, strconv.ErrRange):
		return Usage("--%s %s: out of range", f.Name, bad.GetValue())
	}
	return nil
}

// hasTooLong reports whether one of the durations in a list is well-formed and too large.
func hasTooLong(list string) bool {
	for text := range strings.SplitSeq(list, ",") {
		if _, err := time.ParseDuration(text); err != nil && length.MatchString(text) {
			return true
		}
	}
	return false
}
