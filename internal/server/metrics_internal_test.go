package server

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// The table in docs/running.md has exactly the metrics that a replica exports.
func TestEachMetricIsDocumented(t *testing.T) {
	all := make(chan *prometheus.Desc, 100)
	(&metrics{}).Describe(all)
	close(all)
	var exported []string
	for d := range all {
		exported = append(exported, regexp.MustCompile(`fqName: "(\w+)"`).FindStringSubmatch(d.String())[1])
	}
	text, err := os.ReadFile("../../docs/running.md")
	require.NoError(t, err)
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `chubby_\\w+`[^|(]*\\|").FindAllString(string(text), -1) {
		documented = append(documented, regexp.MustCompile(`chubby_\w+`).FindAllString(row, -1)...)
	}
	slices.Sort(exported)
	slices.Sort(documented)
	require.Equal(t, exported, documented)
}
