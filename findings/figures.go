package findings

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
)

//go:embed figures.jsonl
var figures []byte

// Figure is a number in one of the documents (the KEPs, the draft that came before them, an
// article), and what a command measures of it: a line of figures.jsonl. A test runs the commands, and
// writes Measured and Violated.
type Figure struct {
	Document string `json:"document"`
	Section  string `json:"section"`
	Says     string `json:"says"`
	// Kind is set where nothing can be borne out: Why has the reason.
	Kind Kind `json:"kind,omitempty"`
	// Range is what the document says of the value: "< 200", ">= 100", "= 1" or "20..50", in Unit.
	Range string `json:"range,omitempty"`
	Unit  string `json:"unit,omitempty"`
	// Value is what is taken of the metrics and properties that Command prints with --json: sums, and a
	// quotient of two. With Beside it is divided by that of another command.
	Value   string `json:"value,omitempty"`
	Where   string `json:"where,omitempty"`
	Command string `json:"command,omitempty"`
	Beside  string `json:"beside,omitempty"`
	// Recorded is the page with the table that Command wrote on another day; Value is its column.
	Recorded string `json:"recorded,omitempty"`
	// Expected are the properties whose violation is what the document says.
	Expected []string `json:"expected,omitempty"`
	// Measured is the value, or the least and the greatest. Violated is in how many schedules Command
	// violates a property of its scenario.
	Measured []float64      `json:"measured,omitempty"`
	Violated map[string]int `json:"violated,omitempty"`
	// Why is the reason for what was measured, or why nothing is; of an adopted figure it is where the bed has it.
	Why string `json:"why,omitempty"`
}

// Kind is why a figure is not compared with what was measured.
type Kind string

// The kinds. A figure that is Adopted is a choice of its document, which the bed takes over.
const (
	Compared     Kind = ""
	AnotherThing Kind = "another thing"
	Circular     Kind = "circular"
	Adopted      Kind = "adopted"
	Unmeasured   Kind = "not measured here"
)

// Figures are all of them, in the order of their documents.
func Figures() []Figure { return lines[Figure](figures) }

// lines are the values of an embedded file.
func lines[T any](text []byte) (all []T) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	for {
		var x T
		switch err := d.Decode(&x); err {
		case nil:
			all = append(all, x)
		case io.EOF:
			return all
		default:
			panic(err) // embedded
		}
	}
}

// Verdict follows from what was measured and from what the document says. A range that the document
// reports may be another one elsewhere; a bound or a single value may not.
func (f *Figure) Verdict() string {
	switch {
	case f.Kind != Compared:
		return string(f.Kind)
	case f.isBorneOut():
		return "borne out"
	case strings.Contains(f.Range, ".."):
		return "outside the range"
	}
	return "contradicted"
}

func (f *Figure) isBorneOut() bool {
	for property := range f.Violated {
		if !slices.Contains(f.Expected, property) {
			return false
		}
	}
	for _, v := range f.Measured {
		if !within(v, f.Range) {
			return false
		}
	}
	return len(f.Measured) > 0
}

// within panics if the range has no such form.
func within(v float64, r string) bool {
	number := func(text string) float64 {
		n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			panic("findings: no range: " + r)
		}
		return n
	}
	if least, most, ok := strings.Cut(r, ".."); ok {
		return number(least) <= v && v <= number(most)
	}
	operator, bound, _ := strings.Cut(r, " ")
	n := number(bound)
	switch operator {
	case "<":
		return v < n
	case "<=":
		return v <= n
	case ">":
		return v > n
	case ">=":
		return v >= n
	case "=":
		return v == n
	}
	panic("findings: no range: " + r)
}
