package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/model"
)

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitProblem `xml:"failure,omitempty"`
	Error   *junitProblem `xml:"error,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes a test suite for each summary and in it a test case for each
// property: a violation is a failure, and no verdict an error.
func WriteJUnit(w io.Writer, summaries []*summary.Summary) error {
	var all junitSuites
	for _, s := range summaries {
		suite := junitSuite{Name: s.Scenario + " on " + Subject(s.Etcd, s.Client, s.Cache, s.Bugs), Time: fmt.Sprintf("%.3f", s.Seconds)}
		for _, name := range s.Claims {
			p := s.Properties[name]
			c := junitCase{Name: name, Class: "watchbed." + s.Scenario}
			switch p.Verdict {
			case model.Holds.String():
			case model.Violated.String():
				c.Failure = &junitProblem{fmt.Sprintf("violated in %d of %d schedules", p.Violations, s.Schedules), storyOf(s, name)}
				suite.Failures++
			default:
				c.Error = &junitProblem{p.Verdict, fmt.Sprintf("%s after %d schedules, checked %d times", p.Verdict, s.Schedules, p.Exercised)}
				suite.Errors++
			}
			suite.Cases = append(suite.Cases, c)
			suite.Tests++
		}
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(&all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func storyOf(s *summary.Summary, property string) string {
	for _, f := range s.Failures {
		if f.Property == property {
			text := strings.Join(f.Story, "\n")
			if f.Replay != "" {
				text += "\nreplay file: " + f.Replay
			}
			return text
		}
	}
	return ""
}

// WriteJSON writes what a command found.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
