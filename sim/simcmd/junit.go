package simcmd

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/internal/cli"
)

// junitSuite is a report in the form of JUnit, as far as readers of it agree: a case for each
// failing seed, and one for the run as a whole.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"` // seconds
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Failure *junitFault `xml:"failure"`
	Error   *junitFault `xml:"error"`
	Output  string      `xml:"system-out,omitempty"`
}

type junitFault struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// junit is the report as JUnit has it. What is wrong with the run as a whole, such as too few
// seeds that counted, fails its case.
func (r *report) junit(table string) junitSuite {
	s := junitSuite{Name: "chubby sim", Time: fmt.Sprintf("%.3f", r.Totals.Elapsed.Seconds())}
	for i := range r.Failures {
		s.Cases = append(s.Cases, r.Failures[i].junit())
	}
	run := junitCase{Class: "chubby sim", Name: "run", Output: table}
	if len(r.Failures) == 0 && r.Exit != cli.ExitClean {
		run.Failure = &junitFault{Message: fmt.Sprintf("exit code %d: %s", r.Exit, r.reached()), Type: "run"}
	}
	s.Cases = append(s.Cases, run)
	s.Tests = len(s.Cases)
	for _, c := range s.Cases {
		if c.Failure != nil {
			s.Failures++
		}
		if c.Error != nil {
			s.Errors++
		}
	}
	return s
}

// junit is one failing seed; a panic of the simulator is an error, as it is no verdict.
func (f *failedSeed) junit() junitCase {
	c := junitCase{Class: "chubby sim", Name: fmt.Sprintf("seed %d", f.Seed)}
	text, at := f.Text, ""
	if f.Commit != "" {
		at = "at commit " + f.Commit + ":"
	}
	for _, more := range []string{f.Stack, f.differs(), f.Directory, at, f.Reproduce} {
		if more != "" {
			text += "\n" + more
		}
	}
	message, _, _ := strings.Cut(f.String(), "\n")
	fault := &junitFault{Message: message, Type: f.Property, Text: text}
	if fault.Type == "" {
		fault.Type = "crash"
	}
	if f.Internal {
		c.Error = fault
	} else {
		c.Failure = fault
	}
	return c
}

// printJUnit prints the report as one XML document.
func (a teller) printJUnit(r *report, more bool) error {
	var table strings.Builder
	if err := r.Totals.WriteTable(&table, more); err != nil {
		return cli.Internal(err)
	}
	text, err := xml.MarshalIndent(r.junit(table.String()), "", "  ")
	if err != nil {
		return cli.Internal(err)
	}
	return a.Printf("%s%s\n", xml.Header, text)
}
