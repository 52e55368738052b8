// Package recording (unstable) is a run as a file, and what can be done with it.
//
//	Record     carries out a run and writes it down
//	Recording  the file: scenario, parameters, findings, choices by name
//	Replay     the same run to the bit, or where it first differs
//	Follower   a recording through changed code, as far as it fits
//	Shrink     a smaller run that fails the same way
//	Again      the command that carries it out again
//
// A recording is not trusted: limits are checked, and a file that is refused gets an
// error of one line.
//
// The package imports explore, explore/strategy and sim. It must never import
// explore/campaign or anything that knows etcd: what a recording's parameters mean
// is known to its users.
package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

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

// Open reads a recording from a file.
func Open(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cannotRead(path, err)
	}
	defer f.Close()
	rec, err := Read(f, path)
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return nil, cannotRead(path, p)
	}
	return rec, err
}

// cannotRead names the path once, and not the system call.
func cannotRead(path string, err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("cannot read %s: %w", path, err)
}

// Create writes the recording to a new file in dir, which it makes if necessary,
// and returns its path. The name comes from
// the violation that it was made for and from the trace hash. No file is ever
// overwritten: if the name is taken by a file with other contents, the new file gets a
// number; if the contents are the same, nothing is written.
func (r *Recording) Create(dir string) (path string, err error) {
	b, err := r.encode()
	if err != nil {
		return "", err
	}
	part, err := writePart(dir, b)
	if errors.Is(err, fs.ErrNotExist) {
		// Another process has removed the folder, which was empty, as soon as it was made.
		part, err = writePart(dir, b)
	}
	if err != nil {
		return "", err
	}
	defer os.Remove(part)
	stem := filepath.Join(dir, r.stem())
	for n := 1; n <= maxSameName; n++ {
		path := stem + ".json"
		if n > 1 {
			path = stem + "-" + strconv.Itoa(n) + ".json"
		}
		// Unlike a rename, a link never replaces a file.
		err := os.Link(part, path)
		if errors.Is(err, fs.ErrExist) {
			if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, b) {
				return path, nil
			}
			continue
		}
		syncFolder(dir)
		return path, err
	}
	return "", fmt.Errorf("%s.json: there are %d of that name already", stem, maxSameName)
}

const maxSameName = 1000

func (r *Recording) stem() string {
	name := "run"
	if f, ok := r.MadeFor(); ok {
		name = f.Property + "-" + f.Label
	}
	return slug(name) + "-" + r.TraceHash.String()[:8]
}

const maxSlug = 80

// slug keeps what every file system takes.
func slug(s string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(s) {
		switch {
		case b.Len() >= maxSlug:
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// A recording is written under another name first, and synced: a process that is killed meanwhile, or a
// machine that loses power, must not leave a half file that looks like a whole one. The name has the number
// of the process that writes.
const partName = ".part-%d-"

// writePart writes a file with a name of its own into dir, which it makes if necessary.
func writePart(dir string, b []byte) (string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, fmt.Sprintf(partName, os.Getpid()))
	if err != nil {
		return "", err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// syncFolder has new names in dir survive a loss of power, where the system can do that.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}

// Sweep removes from dir what processes have left there that were killed while they wrote a
// recording, and then dir if it is empty. Whatever it cannot remove stays.
func Sweep(dir string) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, f := range files {
		pid := 0
		if _, err := fmt.Sscanf(f.Name(), partName, &pid); err == nil && gone(pid) {
			os.Remove(filepath.Join(dir, f.Name()))
		}
	}
	os.Remove(dir)
}

// gone reports whether there is no process with a number. Where that cannot be asked there
// always is one.
func gone(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

var (
	// plainWord is what no shell changes.
	plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)
	// spelt is what $'...' has as bytes: all but ASCII, and what ends a quotation.
	spelt = regexp.MustCompile(`[^ -~]|['\\]`)
)

// ShellWord is a text as one word of a command that a person copies into a shell. One that changes the direction of
// text is bytes in bash's $'...': such characters are not printed as they are (report.Spelt).
func ShellWord(text string) string {
	switch {
	case plainWord.MatchString(text):
		return text
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }):
		return "$'" + spelt.ReplaceAllStringFunc(text, func(c string) string {
			return `\x` + strings.ReplaceAll(fmt.Sprintf("% x", c), " ", `\x`)
		}) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Again is the command that carries out a recording again. A path that begins as a flag does
// not, behind "./".
func Again(program, path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return program + " replay " + ShellWord(path)
}
