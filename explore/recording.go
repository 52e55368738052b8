package explore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/watchbed/watchbed/model"
)

// RecordingFormat is the version of the format of recordings that this package
// writes, and the latest that it reads.
const RecordingFormat = 1

// MaxRecordingBytes is the size up to which a recording is read at all.
const MaxRecordingBytes = 64 << 20

// Recording is a run as a file: everything needed to see it again, to the bit.
// The choices are there by name and not by number, so that a recording outlives
// changes to what it has nothing to do with.
type Recording struct {
	// Format is RecordingFormat.
	Format int `json:"format"`
	// Tool is the name and version of what wrote the recording.
	Tool string `json:"tool"`
	// Scenario and Parameters say what ran; every parameter is there, expanded.
	// This package does not read them.
	Scenario   string      `json:"scenario"`
	Parameters []Parameter `json:"parameters"`
	// Strategy and Seed say where the choices came from.
	Strategy string `json:"strategy"`
	Seed     uint64 `json:"seed"`
	// TraceHash is that of the run.
	TraceHash Hash `json:"traceHash"`
	// Findings are what the run showed.
	Findings []RecordedFinding `json:"findings"`
	// Choices are in order, by name.
	Choices []string `json:"choices"`
}

// Parameter is one setting.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// RecordedFinding is a Finding, rendered.
type RecordedFinding struct {
	Property string `json:"property"`
	Verdict  string `json:"verdict"`
	Label    string `json:"label,omitempty"`
	// Why and Story are for people: the explanation and the steps that matter.
	Why   string   `json:"why,omitempty"`
	Story []string `json:"story,omitempty"`
}

// Hash is a trace hash, written as 16 hexadecimal digits: other readers of JSON
// do not keep 64 bits of a number.
type Hash uint64

func (h Hash) String() string { return fmt.Sprintf("%016x", uint64(h)) }

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 64)
	if err != nil || len(b) != 16 {
		return fmt.Errorf("a trace hash has 16 hexadecimal digits, not %.40q", b)
	}
	*h = Hash(n)
	return nil
}

// Violations are the ways in which the recorded run failed.
func (r *Recording) Violations() []Failure {
	var list []Failure
	for _, f := range r.Findings {
		if f.Verdict == model.Violated.String() {
			list = append(list, Failure{f.Property, f.Label})
		}
	}
	return list
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

// ReadRecording reads a recording from a stranger. The error is one line that
// begins with name and says what is wrong where.
func ReadRecording(r io.Reader, name string) (*Recording, error) {
	rec, err := readRecording(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rec, nil
}

func readRecording(r io.Reader) (*Recording, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxRecordingBytes+1))
	if err != nil {
		return nil, err
	}
	if len(b) > MaxRecordingBytes {
		return nil, fmt.Errorf("larger than %d MiB", MaxRecordingBytes>>20)
	}
	// The version comes first: the fields of a later one may mean anything.
	var version struct {
		Format *int `json:"format"`
	}
	if err := json.Unmarshal(b, &version); err != nil {
		return nil, where(err, b)
	}
	switch {
	case version.Format == nil || *version.Format < 1:
		return nil, errors.New("not a recording: it has no format version")
	case *version.Format > RecordingFormat:
		return nil, fmt.Errorf("format %d was written by a later version; this one reads up to %d", *version.Format, RecordingFormat)
	}
	rec := &Recording{}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(rec); err != nil {
		return nil, where(err, b)
	}
	return rec, rec.check()
}

// where adds the line to what encoding/json complains about.
func where(err error, b []byte) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(-1)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		return fmt.Errorf("line %d: %s is a %s where a %s belongs", line(b, kind.Offset), kind.Field, kind.Value, kind.Type)
	}
	if offset < 0 {
		return err
	}
	return fmt.Errorf("line %d: %w", line(b, offset), err)
}

func line(b []byte, offset int64) int {
	return 1 + bytes.Count(b[:min(offset, int64(len(b)))], []byte("\n"))
}

// Limits on recordings. What a tool of ours writes is far below them.
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
		if err := checkText(p.Value); err != nil && p.Value != "" {
			return fmt.Errorf("parameter %s: %w", p.Name, err)
		}
	}
	for i := range r.Findings {
		if err := r.Findings[i].check(); err != nil {
			return fmt.Errorf("finding %d: %w", i+1, err)
		}
	}
	for i, s := range r.Choices {
		if _, err := parseChoice(s); err != nil {
			return fmt.Errorf("choice %d: %w", i+1, err)
		}
	}
	return nil
}

func (f *RecordedFinding) check() error {
	if err := checkText(f.Property); err != nil {
		return fmt.Errorf("property: %w", err)
	}
	if err := checkText(f.Label); err != nil && f.Label != "" {
		return fmt.Errorf("label: %w", err)
	}
	switch f.Verdict {
	case model.Vacuous.String(), model.Holds.String(), model.Undecided.String(), model.Violated.String():
	default:
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
