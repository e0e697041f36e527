package story

import (
	"regexp"
	"slices"

	"github.com/chubbycell/chubby/sim/moments"
)

// aside finds moments that explain a break though they mention little of what its report names.
type aside struct {
	log
	about *subjects
	end   int // moments from here on are after the break
}

// all returns the moments, the most telling ones first.
func (a aside) all() (all []int) {
	all = slices.Concat(a.wrongInSlot(), a.failedCalls(), a.closes(), a.delayAsked(), a.ends(), a.again())
	for _, i := range []int{a.refusal(), a.asked()} {
		if i != moments.None {
			all = append(all, i)
		}
	}
	return all
}

// mostFailed is how many failed calls of a disk are told.
const mostFailed = 2

// failedCalls returns the last calls of the disk of the break that failed, if the report is about a disk.
func (a aside) failedCalls() (all []int) {
	if a.Broke == moments.None || !a.about.isOfDisks() {
		return nil
	}
	for i := a.end - 1; i >= 0 && len(all) < mostFailed; i-- {
		if m := &a.All[i]; m.Who == a.All[a.Broke].Who && moments.IsFailedCall(m) {
			all = append(all, i)
		}
	}
	return all
}

// ends returns the commands that ended the sessions that the report names, and those that had its ephemeral node open.
func (a aside) ends() (all []int) {
	for _, s := range append(slices.Clone(a.about.sessions), a.openers()...) {
		ended := regexp.MustCompile(`^(?:Expire .*\bSession:` + s + `\b|EndSession as call \d+ of session ` + s + `,)`)
		all = append(all, a.lastMatch(moments.Executes, ended)...)
	}
	return all
}

// mostOpeners is how many sessions openers returns.
const mostOpeners = 3

var openedFor = regexp.MustCompile(`^answer #\d+ session (\d+) .*: ok h[0-9a-f]{6} is (/[\w/.~-]*)#\d+`)

// openers returns the last sessions that were given a handle on the node of a report on an ephemeral node: such a node
// stays as long as one of them has it open.
func (a aside) openers() (all []string) {
	if !a.about.words["ephem"] {
		return nil
	}
	for i := a.end - 1; i >= 0 && len(all) < mostOpeners; i-- {
		m := &a.All[i]
		found := openedFor.FindStringSubmatch(m.Text)
		if found == nil || m.Kind != "send" || !a.about.paths[found[2]] || slices.Contains(a.about.sessions, found[1]) || slices.Contains(all, found[1]) {
			continue
		}
		all = append(all, found[1])
	}
	return all
}

// lastMatch returns the last moment of a kind that matches; none if there is none.
func (a aside) lastMatch(kind string, form *regexp.Regexp) []int {
	for i := a.end - 1; i >= 0; i-- {
		if m := &a.All[i]; m.Kind == kind && form.MatchString(m.Text) {
			return []int{i}
		}
	}
	return nil
}

// onDisk returns the moment at which the last process of the machine of the break began to read its disk, if the report is
// about what a disk has, or is made while the disk is read; else None.
func (a aside) onDisk() int {
	if a.Broke == moments.None {
		return moments.None
	}
	broke := &a.All[a.Broke]
	for i := a.end - 1; i >= 0 && a.All[i].At >= broke.At-recently; i-- {
		if m := &a.All[i]; m.Who == broke.Who && m.Kind == moments.Finds {
			if m.At == broke.At || a.about.isOfDisks() || a.about.words["regi"] || a.about.words["snap"] {
				return i
			}
			return moments.None
		}
	}
	return moments.None
}

// mostCloses is how many requests are told that closed a handle on a node.
const mostCloses = 2

var closing = regexp.MustCompile(`^call #\d+ .*: (?:close|poison) (h[0-9a-f]{6})`)

// closes returns the receipts of the last requests that closed handles on the node of the report, if that was swept, or
// should have been: a node is swept because no handle on it is left.
func (a aside) closes() (all []int) {
	if !a.about.words["swept"] && !a.about.words["ephem"] {
		return nil
	}
	on := map[string]bool{} // handles on the node
	for i := range a.All[:a.end] {
		if m := &a.All[i]; m.Kind == "send" {
			if found := opened.FindStringSubmatch(m.Text); found != nil && a.about.paths[found[2]] {
				on[found[1]] = true
			}
		}
	}
	for i := a.end - 1; i >= 0 && len(all) < mostCloses; i-- {
		m := &a.All[i]
		if found := closing.FindStringSubmatch(m.Text); m.Kind == "receive" && found != nil && on[found[1]] {
			all = append(all, i)
		}
	}
	return all
}

// delayAsked returns the receipt of the Open by which the handle of the call in question got its lock-delay, if the report
// is about lock-delays.
func (a aside) delayAsked() []int {
	if !a.about.words["delay"] {
		return nil
	}
	of := a.callOf(a.about, a.end)
	if of.handle == "" {
		return nil
	}
	for i := of.i - 1; i >= 0; i-- {
		m := &a.All[i]
		if found := opened.FindStringSubmatch(m.Text); found == nil || found[1] != of.handle || m.Kind != "send" {
			continue
		}
		number := answerNo.FindStringSubmatch(m.Text)[1]
		return a.lastMatch(moments.Heard, regexp.MustCompile(`^call `+number+` `))
	}
	return nil
}

// endOfStep returns the moment behind the step of the break if end is in it: a step may execute commands after the break was
// seen.
func (a aside) endOfStep(end int) int {
	for end < len(a.All) && a.isOfStep(end) {
		end++
	}
	return end
}
