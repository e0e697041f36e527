package swarm_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/lab/swarm"
)

func TestThePictureHasEveryShareAndNothingFromOutside(t *testing.T) {
	half, all := experiment.ShareOf(10, 20), experiment.ShareOf(20, 20)
	rows := []swarm.Row{
		{System: "one", Fault: "pause", Overlap: &all, Lost: &all},
		{System: "one", Fault: "late-write", Lost: &half},
		{System: "two & more", Fault: "pause", Lost: &half, Write: &half, Read: &all, Refused: &half},
	}
	costs := []swarm.Cost{{System: "one", Messages: experiment.Estimate{Value: 12.5}, Crashes: 2, Never: 2}}
	var b strings.Builder
	require.NoError(t, swarm.WriteSVG(&b, rows, costs, "n = 20"))
	svg := b.String()
	require.Equal(t, 4, strings.Count(svg, ">50 %<"))
	require.Equal(t, 2, strings.Count(svg, ">100 %<"))
	require.Contains(t, svg, "two &amp; more")
	require.Contains(t, svg, ">12.5<")
	require.Contains(t, svg, ">2 of 2<")
	require.NotContains(t, strings.ReplaceAll(svg, `xmlns="http://www.w3.org/2000/svg"`, ""), "http")
	require.NotContains(t, svg, "clock-step", "nothing was measured there")
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
}
