package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/option"
)

// formatVersion is the version of the format that this package writes, and the
// latest that it reads.
const formatVersion = 1

// maxBytes is the size of the largest recording that is read.
const maxBytes = 64 << 20

// Recording is a run as a file: everything needed to see it again, to the bit.
// The choices are there by name and not by number, so that a recording outlives
// changes to what it has nothing to do with.
type Recording struct {
	// Format is the version of the format, 1.
	Format int `json:"format"`
	// Tool is the name and version of the program that wrote the recording.
	Tool string `json:"tool"`
	// Scenario and Parameters say what ran; every parameter is there, expanded.
	// This package does not read them.
	Scenario   string           `json:"scenario"`
	Parameters []option.Setting `json:"parameters"`
	// Strategy and Seed say where the choices came from.
	Strategy string `json:"strategy"`
	Seed     uint64 `json:"seed"`
	// TraceHash is that of the run.
	TraceHash explore.Hash `json:"traceHash"`
	// Findings are what the run showed.
	Findings []Finding `json:"findings"`
	// Choices are in order, by name.
	Choices []string `json:"choices"`
}

// Finding is an explore.Finding, rendered.
type Finding struct {
	Property string `json:"property"`
	Verdict  string `json:"verdict"`
	Label    string `json:"label,omitempty"`
	// Why and Story are for people: the explanation and the steps that matter.
	Why   string   `json:"why,omitempty"`
	Story []string `json:"story,omitempty"`
}

// Steps is how many of the choices pick a step. The others answer questions.
func (r *Recording) Steps() (n int) {
	for _, c := range r.Choices {
		if !strings.HasPrefix(c, choosePrefix) {
			n++
		}
	}
	return n
}

// Why explains one of the ways in which the recorded run failed; it is empty if the run
// did not fail in this way.
func (r *Recording) Why(failure explore.Failure) string {
	for _, f := range r.Findings {
		if f.Verdict == model.Violated.String() && f.Property == failure.Property && f.Label == failure.Label {
			return f.Why
		}
	}
	return ""
}

// Violations are the ways in which the recorded run failed.
func (r *Recording) Violations() []explore.Failure {
	var list []explore.Failure
	for _, f := range r.Findings {
		if f.Verdict == model.Violated.String() {
			list = append(list, explore.Failure{Property: f.Property, Label: f.Label})
		}
	}
	return list
}

// MadeFor is the way to fail that the recording was made for: the violation that has
// a story, else the first one. It is false if nothing is violated.
func (r *Recording) MadeFor() (explore.Failure, bool) {
	all := r.Violations()
	if len(all) == 0 {
		return explore.Failure{}, false
	}
	for _, f := range r.Findings {
		if way := (explore.Failure{Property: f.Property, Label: f.Label}); len(f.Story) > 0 && slices.Contains(all, way) {
			return way, true
		}
	}
	return all[0], true
}

// WriteTo writes the recording as JSON, a choice a line.
func (r *Recording) WriteTo(w io.Writer) (int64, error) {
	b, err := r.encode()
	if err != nil {
		return 0, err
	}
	n, err := w.Write(b)
	return int64(n), err
}

func (r *Recording) encode() ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false) // names are full of ">"
	e.SetIndent("", " ")
	err := e.Encode(r)
	return buf.Bytes(), err
}

// Read reads a recording. The error is one line that begins with name and says
// what is wrong where.
func Read(r io.Reader, name string) (*Recording, error) {
	rec, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rec, nil
}

func read(r io.Reader) (*Recording, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxBytes {
		return nil, fmt.Errorf("larger than %d MiB", maxBytes>>20)
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff")) // Some editors begin a text so.
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, errors.New("the file is empty")
	}
	// The version comes first: the fields of a later one may mean anything.
	var given struct {
		Format *int `json:"format"`
		// A list of none may be null.
		Parameters json.RawMessage  `json:"parameters"`
		Seed       *json.RawMessage `json:"seed"`
		TraceHash  *json.RawMessage `json:"traceHash"`
		Findings   json.RawMessage  `json:"findings"`
		Choices    json.RawMessage  `json:"choices"`
	}
	if err := json.Unmarshal(b, &given); err != nil {
		return nil, where(err, b)
	}
	switch {
	case given.Format == nil || *given.Format < 1:
		return nil, errors.New("not a recording: it has no format version")
	case *given.Format > formatVersion:
		return nil, fmt.Errorf("format %d was written by a later version; this one reads up to %d", *given.Format, formatVersion)
	}
	rec := &Recording{}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(rec); err != nil {
		return nil, where(err, b)
	}
	// What is left out would be taken for 0 or for none. Texts are not empty, see check.
	for _, field := range [...]struct {
		name    string
		missing bool
	}{
		{"parameters", given.Parameters == nil}, {"seed", given.Seed == nil}, {"traceHash", given.TraceHash == nil},
		{"findings", given.Findings == nil}, {"choices", given.Choices == nil},
	} {
		if field.missing {
			return nil, fmt.Errorf("it has no %s", field.name)
		}
	}
	return rec, rec.check()
}

// where adds the line to an error of encoding/json.
func where(err error, b []byte) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %w", line(b, syntax.Offset), err)
	case errors.As(err, &kind):
		if kind.Field == "" {
			return fmt.Errorf("line %d: a recording is a JSON object, and this is: %s", line(b, kind.Offset), kind.Value)
		}
		return fmt.Errorf("line %d: %q has the wrong type: %s", line(b, kind.Offset), kind.Field, kind.Value)
	}
	return err
}

func line(b []byte, offset int64) int {
	return 1 + bytes.Count(b[:min(offset, int64(len(b)))], []byte("\n"))
}

// Limits on recordings. Those that simrun writes are far below them.
const (
	maxChoices    = 2_000_000
	maxParameters = 1000
	maxFindings   = 1000
	maxStory      = 10_000
	maxTextBytes  = 100_000
)

func (r *Recording) check() error {
	for _, f := range [...]struct {
		what, value string
	}{{"tool", r.Tool}, {"scenario", r.Scenario}, {"strategy", r.Strategy}} {
		if err := checkText(f.value); err != nil {
			return fmt.Errorf("%s: %w", f.what, err)
		}
	}
	for _, l := range [...]struct {
		what     string
		len, max int
	}{
		{"parameters", len(r.Parameters), maxParameters},
		{"findings", len(r.Findings), maxFindings},
		{"choices", len(r.Choices), maxChoices},
	} {
		if l.len > l.max {
			return fmt.Errorf("%d %s, and %d is the limit", l.len, l.what, l.max)
		}
	}
	for i, p := range r.Parameters {
		if err := checkText(p.Name); err != nil {
			return fmt.Errorf("parameter %d: name: %w", i+1, err)
		}
		if err := checkTextUpTo(p.Value, maxTextBytes); err != nil && p.Value != "" {
			return fmt.Errorf("parameter %s: %w", p.Name, err)
		}
	}
	for i := range r.Findings {
		if err := r.Findings[i].check(); err != nil {
			return fmt.Errorf("finding %d: %w", i+1, err)
		}
	}
	_, err := parseChoices(r.Choices)
	return err
}

func (f *Finding) check() error {
	if err := checkText(f.Property); err != nil {
		return fmt.Errorf("property: %w", err)
	}
	if err := checkText(f.Label); err != nil && f.Label != "" {
		return fmt.Errorf("label: %w", err)
	}
	if new(model.Verdict).UnmarshalText([]byte(f.Verdict)) != nil {
		return fmt.Errorf("there is no verdict %.40q", f.Verdict)
	}
	if len(f.Story) > maxStory {
		return fmt.Errorf("%d lines of story, and %d is the limit", len(f.Story), maxStory)
	}
	if len(f.Why) > maxTextBytes {
		return fmt.Errorf("why: longer than %d bytes", maxTextBytes)
	}
	for i, s := range f.Story {
		if len(s) > maxTextBytes {
			return fmt.Errorf("line %d of the story: longer than %d bytes", i+1, maxTextBytes)
		}
	}
	return nil
}
