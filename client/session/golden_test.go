package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
)

// Each file of testdata states a property and shows it on one machine (player):
//
//	client [window=N] [grace=D]    a new machine
//	play      the lines happen one after the other
//	each      each line happens by itself, from where the last play has led
//
// -rewrite writes what the machine does; the comments say what to check.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if !strings.HasSuffix(path, ".txt") {
			return
		}
		var p *player
		var past []string
		change := func(*session.Config) {}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			lines := strings.Split(strings.TrimSpace(d.Input), "\n")
			var out []string
			switch d.Cmd {
			case "client":
				change = configure(t, d)
				past = nil
			case "play":
				p = again(t, change, past)
				for _, line := range lines {
					past = append(past, line)
					out = append(out, stamp(p, line))
				}
			case "each":
				for _, line := range lines {
					out = append(out, stamp(again(t, change, past), line))
				}
			default:
				t.Fatalf("what is %q?", d.Cmd)
			}
			return strings.Join(out, "\n")
		})
	})
}

// again returns a new player after all these lines.
func again(t *testing.T, change func(*session.Config), past []string) *player {
	p := newPlayer(t, change)
	for _, line := range past {
		p.do(line)
	}
	return p
}

// stamp is a line, the instant at which it happened, and its result.
func stamp(p *player, line string) string {
	did := p.do(line)
	if len(did) == 0 {
		did = []string{"-"}
	}
	at := p.now.Sub(p.begin).Round(time.Millisecond).String()
	return strings.TrimRight(at+" "+line+"\n    "+strings.Join(did, "\n    "), " ")
}

func configure(t *testing.T, d *datadriven.TestData) func(*session.Config) {
	var options []func(*session.Config)
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "window":
			var n int
			d.ScanArgs(t, "window", &n)
			options = append(options, func(c *session.Config) { c.Window = n })
		case "grace":
			g, err := time.ParseDuration(a.Vals[0])
			require.NoError(t, err)
			options = append(options, func(c *session.Config) { c.Grace = g })
		default:
			t.Fatalf("what is %q?", a.Key)
		}
	}
	return func(c *session.Config) {
		for _, o := range options {
			o(c)
		}
	}
}
