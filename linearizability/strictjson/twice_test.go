package strictjson

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Keys of a map are data of a model: keys that differ only in case are different.
func TestKeysOfAMapAreNoFields(t *testing.T) {
	var into map[string]int
	require.NoError(t, Decode([]byte(` { "a" : 1 , "A" : 2 } `), &into))
	require.ErrorContains(t, Decode([]byte(`{"a":1,"b":2,"a":3}`), &into), "a: stands twice")
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf(`"k%d":%d`, i, i))
	}
	require.NoError(t, Decode([]byte("{"+strings.Join(many, ",")+"}"), &into))
	many = append(many, `"k70":0`)
	require.ErrorContains(t, Decode([]byte("{"+strings.Join(many, ",")+"}"), &into), "k70: stands twice")
}

// JSON that encoding/json wrote has no repeated field. An object with one name twice is found, whatever surrounds it.
func TestTwiceFindsTheOneFieldThatIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := jsonValue(3).Draw(t, "value")
		plain, err := json.MarshalIndent(value, "", rapid.SampledFrom([]string{"", " "}).Draw(t, "indent"))
		require.NoError(t, err)
		require.NoError(t, Twice(plain, false), "%s", plain)
		name, err := json.Marshal(rapid.String().Draw(t, "name"))
		require.NoError(t, err)
		double := fmt.Sprintf(`[%s,{%s:%s, %s :%s}]`, plain, name, plain, name, plain)
		require.ErrorContains(t, Twice([]byte(double), false), "stands twice", double)
	})
}

func jsonValue(depth int) *rapid.Generator[any] {
	leaf := []*rapid.Generator[any]{
		rapid.String().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
	}
	if depth > 0 {
		leaf = append(leaf, rapid.SliceOfN(jsonValue(depth-1), 0, 3).AsAny(), rapid.MapOfN(rapid.String(), jsonValue(depth-1), 0, 3).AsAny())
	}
	return rapid.OneOf(leaf...)
}
