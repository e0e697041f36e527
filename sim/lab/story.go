package lab

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxStory is how many lines a story has at most, and Columns how wide they are.
const (
	MaxStory = 20
	Columns  = 120
)

// Tell is a break on one page: the time line of the variant with this index, then what became of
// each variant, then the lesson. all are the findings of Check.
func Tell(s *System, b *Break, all []Finding, index int) []string {
	shown := &all[index]
	lines := Wrapped("", fmt.Sprintf("%s %s: %s %s", s.Name, b.ID, b.Title, b.Mark))
	lines = append(lines, Wrapped("", fmt.Sprintf("time line of %s, resource: %s (seconds of true time)", shown.Variant, shown.Guard))...)
	width := 0
	for _, l := range shown.Outcome.Lines {
		width = max(width, len(l.Who))
	}
	for _, l := range shown.Outcome.Lines {
		lines = append(lines, Wrapped(fmt.Sprintf("%8s  %-*s  ", seconds(l.At), width, l.Who), l.Text)...)
	}
	for i := range all {
		lines = append(lines, all[i].lines()...)
	}
	return append(lines, Wrapped("lesson    ", b.Lesson)...)
}

// lines are a finding in words.
func (f *Finding) lines() []string {
	head := "repaired  "
	if f.Faulty {
		head = "faulty    "
	}
	text := fmt.Sprintf("%s, %s%s: %s", f.Variant, f.Guard, strings.TrimRight(" "+f.Mark, " "), f.Outcome.String())
	if f.Sometimes {
		text += " (by seed)"
	}
	if !f.AsClaimed() {
		text += "; NOT AS CLAIMED"
	}
	return Wrapped(head, text)
}

// Wrapped is a text behind a head, in lines of so many columns.
func Wrapped(head, text string) []string {
	var lines []string
	line, room := "", Columns-utf8.RuneCountInString(head)
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room {
			lines, line = append(lines, head+line), ""
			head = strings.Repeat(" ", utf8.RuneCountInString(head))
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return append(lines, head+line)
}

// list joins names for people.
func list(names []string) string { return strings.Join(names, ", ") }
