package history

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/watchbed/watchbed/model"
)

// The limits of Read. A million operations with watches are 800 MB (BenchmarkCheckLarge of package command); they
// take 1 GB in memory while they are read. A history that was built to take much
// memory takes seven times its file.
const (
	MaxLineBytes    = 16 << 20
	MaxHistoryBytes = 1 << 30
	MaxOperations   = 4_000_000
)

type limits struct {
	lineBytes, historyBytes, operations int
}

// Read reads the JSON Lines that Write writes and that the
// package comment describes. Lines may come in any order after the header, but for
// those about the watches of one client; the operations of the result are in the order of
// their calls.
//
// Every error is one line that begins with the number of the line at fault and
// says what to do about it.
func Read(r io.Reader) (*model.History, error) {
	return read(r, limits{lineBytes: MaxLineBytes, historyBytes: MaxHistoryBytes, operations: MaxOperations})
}

func read(r io.Reader, limit limits) (*model.History, error) {
	a := NewAssembly()
	a.Limit = limit.operations
	d := newDecoder()
	size, first := 0, true
	err := NewLines(r, limit.lineBytes, "limit the lists, or record shorter values").Each(func(line []byte, number int64) error {
		if size += len(line) + 1; size > limit.historyBytes {
			return fmt.Errorf("the history is longer than %d bytes: split it, or record a shorter run", limit.historyBytes)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		if !utf8.Valid(line) {
			return errors.New("not valid UTF-8: record binary values as a digest or in base64")
		}
		if first {
			first = false
			if header, err := readHeader(line, a.History); err != nil || header {
				return cmp.Or(err, d.once(line))
			}
		}
		if isWatch(line) {
			return watchLine(a, d, line)
		}
		var recorded operationJSON
		if err := d.decode(line, &recorded); err != nil {
			return err
		}
		op, err := decodeOperation(&recorded)
		if err == nil {
			a.Add(recorded.Client, op, number)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return a.Finish()
}

// readHeader reports whether the line is a header, and takes it if so.
func readHeader(line []byte, h *model.History) (bool, error) {
	var probe struct {
		Format *string `json:"format"`
	}
	// The strict decoding reports every other error of the line.
	if err := json.Unmarshal(line, &probe); err != nil || probe.Format == nil {
		return false, nil
	}
	if *probe.Format != Format {
		return false, fmt.Errorf(`"format" is %q, not %q: is this another kind of file?`, shorten(*probe.Format), Format)
	}
	// The version comes before the fields: a later one may have more of them.
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(line, &version); err != nil || version.Version < 1 {
		return false, fmt.Errorf(`"version" must be a whole number from 1 to %d`, Version)
	}
	if version.Version > Version {
		return false, fmt.Errorf("the history has version %d, this program reads up to %d: use a newer one", version.Version, Version)
	}
	var header headerJSON
	if err := decodeStrictly(line, &header); err != nil {
		return false, err
	}
	h.Partial = header.Partial
	if in := header.Initial; in != nil {
		h.Initial = model.Initial{Revision: in.Revision, Compacted: in.Compacted, Items: in.Items}
	}
	return true, nil
}

// decoder is decodeStrictly for many lines, in the same memory.
type decoder struct {
	line  bytes.Reader
	json  *json.Decoder
	twice twice
}

func newDecoder() *decoder {
	d := &decoder{}
	d.json = json.NewDecoder(&d.line)
	d.json.DisallowUnknownFields()
	return d
}

func (d *decoder) decode(line []byte, into any) error {
	d.line.Reset(line)
	if d.json.Decode(into) == nil {
		if _, err := d.json.Token(); err == io.EOF {
			return d.once(line)
		}
	}
	// What is wrong is said of this line alone.
	return decodeStrictly(line, into)
}

// once refuses a line in which a key stands twice in one object.
func (d *decoder) once(line []byte) error {
	if key := d.twice.find(line); key != nil {
		return fmt.Errorf("the key %q stands twice in one object: write each once", shorten(string(key)))
	}
	return nil
}

// decodeStrictly refuses fields that the format does not have: a misspelt
// "limit" that is passed over makes a right answer look wrong.
func decodeStrictly(line []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return explainJSON(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("more than one JSON value: write one operation a line")
	}
	return nil
}

// wrongType says which field of a JSON object has a value of a type that it cannot have. Without
// a field it is the object itself.
func wrongType(e *json.UnmarshalTypeError) string {
	value := "a " + e.Value
	if e.Value == "array" || e.Value == "object" {
		value = "an " + e.Value
	}
	if e.Field == "" {
		return "want a JSON object, not " + value
	}
	return fmt.Sprintf("%q cannot be %s", shorten(e.Field), value)
}

func explainJSON(err error) error {
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong):
		return fmt.Errorf("%s: see the format in the package documentation", wrongType(wrong))
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON: %v at byte %d: write one operation a line", err, syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the JSON ends too early: was the file cut off? An operation stands on one line; of a report of robustness tests name the folder")
	}
	text := strings.TrimPrefix(err.Error(), "json: ")
	if strings.HasPrefix(text, "unknown field") {
		return fmt.Errorf("%s: is it misspelt?", shorten(text))
	}
	return errors.New(shorten(text))
}

// Lines reads a recording line by line, and knows the number of the line.
type Lines struct {
	in     *bufio.Scanner
	limit  int
	advice string
	// Number is that of the line, or of the one on which an object begins, from 1 on.
	Number int64
}

// NewLines takes lines of up to so many bytes. The advice is what to do about a longer one.
func NewLines(r io.Reader, limit int, advice string) *Lines {
	l := &Lines{in: bufio.NewScanner(r), limit: limit, advice: advice}
	l.in.Buffer(make([]byte, 0, min(1<<16, limit)), limit)
	return l
}

// Each gives each line to take, with its number. Every error begins with the number of the line at fault.
func (l *Lines) Each(take func(line []byte, number int64) error) error {
	for l.Number = 1; l.in.Scan(); l.Number++ {
		line := l.in.Bytes()
		if l.Number == 1 {
			// Some editors begin a file with a byte order mark.
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if err := take(line, l.Number); err != nil {
			return InLine(l.Number, err)
		}
	}
	return l.err(l.Number)
}

// err is what ended the reading in a line before the end of the file.
func (l *Lines) err(line int64) error {
	switch err := l.in.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, bufio.ErrTooLong):
		return InLine(line, fmt.Errorf("longer than %d bytes: %s", l.limit, l.advice))
	default:
		return InLine(line, err)
	}
}

// InLine is an error with the number of the line at fault.
func InLine(number int64, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("line %d: %w", number, err)
}

// Assembly puts a history together from operations that come in any order. A place says
// where in the input an operation stands; what its number means is the reader's business.
type Assembly struct {
	// History has the operations in the order in which they were added, until Finish.
	History *model.History
	// clients and watchers are the places of names.
	clients, watchers map[string]int
	places            []int64
	same              *interned
	// Limit is how many operations there may be, beyond the place of one too many.
	Limit  int
	beyond int64
	// Place writes a place. It is that of a line unless a reader sets it.
	Place func(place int64) string
}

// NewAssembly is that of a fresh etcd, empty at revision 1.
func NewAssembly() *Assembly {
	return &Assembly{
		History: &model.History{Initial: model.Initial{Revision: 1}},
		clients: map[string]int{}, watchers: map[string]int{}, same: newInterned(), Limit: MaxOperations,
		Place: func(line int64) string { return fmt.Sprintf("line %d", line) },
	}
}

// Add takes an operation of a client. It keeps one of each key, item and read.
func (a *Assembly) Add(client string, op model.Operation, place int64) {
	if len(a.History.Operations) >= a.Limit {
		if a.beyond == 0 {
			a.beyond = place
		}
		return
	}
	index, known := a.clients[client]
	if !known {
		index = len(a.History.Clients)
		a.clients[client] = index
		a.History.Clients = append(a.History.Clients, client)
	}
	op.Client = index
	op.Request = a.same.request(op.Request)
	a.same.result(op.Result)
	a.History.Operations = append(a.History.Operations, op)
	a.places = append(a.places, place)
}

// AddWatch takes a stream of a client that watches, and refuses what no judge could make
// sense of.
func (a *Assembly) AddWatch(client string, s model.WatchStream) error {
	if err := checkWatchRequest(client, &s.Request); err != nil {
		return err
	}
	for i := range s.Responses {
		if err := checkWatchResponse(&s.Responses[i]); err != nil {
			return err
		}
	}
	at, known := a.watchers[client]
	if !known {
		at = len(a.History.Watchers)
		a.watchers[client] = at
		a.History.Watchers = append(a.History.Watchers, model.Watcher{Client: client})
	}
	a.History.Watchers[at].Streams = append(a.History.Watchers[at].Streams, s)
	return nil
}

// Finish brings the operations into the order of their calls, and refuses what no judge
// could make sense of. The error begins with the place.
func (a *Assembly) Finish() (*model.History, error) {
	h := a.History
	if a.beyond != 0 {
		return nil, fmt.Errorf("%s: more than %d operations: split the history, or record a shorter run", a.Place(a.beyond), a.Limit)
	}
	sort.Stable(byCall{h.Operations, a.places})
	if err := checkHistory(h, func(i int) string { return a.Place(a.places[i]) }); err != nil {
		return nil, err
	}
	return h, nil
}

// byCall keeps the places beside the operations that it sorts.
type byCall struct {
	operations []model.Operation
	places     []int64
}

func (b byCall) Len() int           { return len(b.operations) }
func (b byCall) Less(i, j int) bool { return b.operations[i].Call < b.operations[j].Call }
func (b byCall) Swap(i, j int) {
	b.operations[i], b.operations[j] = b.operations[j], b.operations[i]
	b.places[i], b.places[j] = b.places[j], b.places[i]
}
