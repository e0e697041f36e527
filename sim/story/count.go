package story

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/moments"
)

// ofQuorums matches reports about votes and promises.
var ofQuorums = regexp.MustCompile(`\bv[0-9a-f]{8}\b|quorum|\bvote|\bpromise|\baccept|\bphase 1|\bcampaign|\blead`)

// count is one thing that a quorum decides: the votes in a slot, or the promises of a ballot.
type count struct {
	what  string         // for people
	heard *regexp.Regexp // matches a message that reports a vote or promise; the group is the ballot
	has   *regexp.Regexp // matches a durable record of one; the group is the ballot
}

// counts returns a line for each slot and each ballot that the report names, if the report is about votes or promises.
// The line tells which votes or promises the machine of the break received in its present life, and which disks have
// them: together they show what the machine counted as a quorum. A slot or ballot without such messages has no line.
func (t *teller) counts() (lines []string) {
	if t.breach.On == 0 || t.breach.On.IsClient() || t.Broke == moments.None || !ofQuorums.MatchString(t.breach.Text) {
		return nil
	}
	slots := named(`slot (\d+)`, t.breach.Text)
	ballots := named(ballot, handleNamed.ReplaceAllString(t.breach.Text, "handle"))
	for _, s := range slots {
		lines = append(lines, t.count(count{"votes in slot " + s,
			regexp.MustCompile(`^accepted (\S+) boot \d+ slot ` + s + `\b`), regexp.MustCompile(`^voted (\S+) slot ` + s + `\b`)})...)
	}
	for _, b := range ballots {
		q := regexp.QuoteMeta(b)
		lines = append(lines, t.count(count{"promises of ballot " + b,
			regexp.MustCompile(`^promise (` + q + `) `), regexp.MustCompile(`^promised (` + q + `)(?:$|,)`)})...)
	}
	return lines
}

// named returns the first group of each match of form in a text, each once.
func named(form, text string) (all []string) {
	for _, found := range regexp.MustCompile(form).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(all, found[1]) {
			all = append(all, found[1])
		}
	}
	return all
}

// count returns the line of c, or none; see counts.
func (t *teller) count(c count) []string {
	on := t.breach.On
	var heard []string
	ballot := "" // of the latest message; messages of other ballots are not counted
	for i := t.All[t.Broke].Prev; i != moments.None; i = t.All[i].Prev {
		m := &t.All[i]
		if m.Kind == "fault" && strings.HasPrefix(m.Text, "start ") {
			break
		}
		if found := c.heard.FindStringSubmatch(m.Text); m.Kind == "receive" && found != nil && (ballot == "" || ballot == found[1]) {
			ballot = found[1]
			heard = append(heard, fmt.Sprintf("%v (%s s)", m.Peer, moments.Short(m.At)))
		}
	}
	if len(heard) == 0 {
		return nil
	}
	slices.Reverse(heard)
	var disks []string
	seen := map[sim.Addr]bool{}
	for i := range t.Broke {
		m := &t.All[i]
		if found := c.has.FindStringSubmatch(m.Text); m.Kind == moments.Durable && found != nil && found[1] == ballot && !seen[m.Who] {
			seen[m.Who] = true
			disks = append(disks, fmt.Sprintf("%v (%s s)", m.Who, moments.Short(m.At)))
		}
	}
	return []string{fmt.Sprintf("%s at %s, %d replicas: %v received them from %s; on the disks of %s", strings.TrimSuffix(c.what, " of ballot "+ballot), ballot, t.plan.Replicas, on,
		strings.Join(heard, ", "), or(strings.Join(disks, ", "), "none"))}
}

// or returns text, or none if text is empty.
func or(text, none string) string {
	if text == "" {
		return none
	}
	return text
}
