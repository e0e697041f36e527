package cli

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

// JUnit is a report in the form that CI systems read, as far as they agree on it: cases, each of
// which passed, failed, was skipped, or could not be decided. It is made by NewJUnit and Add, and printed
// by Streams.JUnit.
type JUnit struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr,omitempty"`
	Time     string      `xml:"time,attr"` // seconds
	Cases    []JUnitCase `xml:"testcase"`
}

// JUnitCase is one case. One with neither Failure nor Error nor Skipped passed.
type JUnitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Time    string      `xml:"time,attr,omitempty"` // seconds, as JUnit.Time; "": not measured by itself
	Failure *JUnitFault `xml:"failure"`             // something broke
	Error   *JUnitFault `xml:"error"`               // there is no verdict: the program that judges is wrong
	Skipped *JUnitSkip  `xml:"skipped"`             // it was not run
	Output  string      `xml:"system-out,omitempty"`
}

// JUnitSkip says why a case was not run.
type JUnitSkip struct {
	Message string `xml:"message,attr"`
}

// JUnitFault says what was wrong.
type JUnitFault struct {
	Message string `xml:"message,attr"` // one line
	Type    string `xml:"type,attr"`    // such as the property
	Text    string `xml:",chardata"`    // all of it, the command that shows it again last
}

// NewJUnit is a report without cases, of a command that took so long.
func NewJUnit(command string, took time.Duration) *JUnit {
	return &JUnit{Name: command, Time: fmt.Sprintf("%.3f", took.Seconds())}
}

// Add adds a case, whose class is the command.
func (j *JUnit) Add(c JUnitCase) {
	c.Class = j.Name
	j.Cases = append(j.Cases, c)
	j.Tests++
	if c.Failure != nil {
		j.Failures++
	}
	if c.Error != nil {
		j.Errors++
	}
	if c.Skipped != nil {
		j.Skipped++
	}
}

// Fault is a fault whose message is the first line of the first text, and whose text is all of
// them that are not empty, one below the other. "" as kind: a crash.
func Fault(kind string, texts ...string) *JUnitFault {
	if kind == "" {
		kind = "crash"
	}
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, strings.TrimRight(text, "\n"))
		}
	}
	message, _, _ := strings.Cut(texts[0], "\n")
	return &JUnitFault{Message: message, Type: kind, Text: strings.Join(all, "\n")}
}

// JUnit writes a report to stdout as one XML document.
func (s *Streams) JUnit(j *JUnit) error {
	text, err := xml.MarshalIndent(j, "", "  ")
	if err != nil {
		return Internal(err)
	}
	return s.Printf("%s%s\n", xml.Header, text)
}
