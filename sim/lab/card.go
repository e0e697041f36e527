package lab

import (
	"fmt"
)

// Card is a system in words: what it models, its options, and each break with its lesson.
func Card(s *System) []string {
	lines := Wrapped("", fmt.Sprintf("%s: %s", s.Name, s.Title))
	for _, row := range [][2]string{{"models", s.Version}, {"omits", s.Omits}, {"token", s.Token}} {
		lines = append(lines, Wrapped(fmt.Sprintf("  %-7s ", row[0]), row[1])...)
	}
	for _, o := range s.Options {
		lines = append(lines, Wrapped("  option  ", fmt.Sprintf("%s: %s %s", o.Name, o.Value, o.Mark))...)
	}
	for i := range s.Breaks {
		b := &s.Breaks[i]
		lines = append(lines, Wrapped(fmt.Sprintf("  %-3s ", b.ID), fmt.Sprintf("%s %s", b.Title, b.Mark))...)
		why := b.Lesson
		if b.Script == nil {
			why = "not played: " + b.Unplayed
		}
		lines = append(lines, Wrapped("      - ", why)...)
	}
	return lines
}

// Played lists the numbers of the breaks that have a script.
func (s *System) Played() []string {
	var all []string
	for i := range s.Breaks {
		if s.Breaks[i].Script != nil {
			all = append(all, s.Breaks[i].ID)
		}
	}
	return all
}
