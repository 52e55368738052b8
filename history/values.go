package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/watchbed/watchbed/model"
)

// Values reads JSON objects one after the other, each on a line or on many. Text before an object on its line
// is passed over: grep writes the name of a file there, and collectors of logs the time. Lines without an
// object are passed over, too, and counted.
type Values struct {
	*Lines
	// Passed counts the lines without an object, FirstPassed is the number of the first.
	Passed, FirstPassed int64
	// line is where the reading is. Whether its line has text, other than brackets, commas and
	// a byte order mark, and whether it has any part of an object.
	line         int64
	text, object bool
	// Of the object that the scanner has in part: the bytes that were looked at, the brackets that are open,
	// and whether a string is, or an escape in it.
	at, depth        int
	quoted, escaping bool
}

// NewValues takes objects of up to so many bytes. The advice is what to do about a longer one.
func NewValues(r io.Reader, limit int, advice string) *Values {
	v := &Values{Lines: NewLines(r, limit, advice), line: 1}
	v.in.Split(v.split)
	return v
}

// Each gives each object to take, with the number of the line on which it begins. Every error begins with the number of
// the line at fault.
func (v *Values) Each(take func(object []byte, number int64) error) error {
	for v.in.Scan() {
		if err := take(v.in.Bytes(), v.Number); err != nil {
			return InLine(v.Number, err)
		}
	}
	return v.err(v.line)
}

// split is a bufio.SplitFunc.
func (v *Values) split(data []byte, atEOF bool) (int, []byte, error) {
	from := 0
	if v.depth == 0 {
		for from < len(data) && data[from] != '{' {
			v.between(data[from])
			from++
		}
		if from == len(data) {
			if atEOF && v.text {
				v.between('\n')
			}
			return from, nil, nil
		}
		v.Number = v.line
	}
	for v.at += from; v.at < len(data); v.at++ {
		if c := data[v.at]; v.quoted && c == '\n' || v.within(c) {
			// A string does not go on on the next line: the object was cut off, and is refused.
			return v.end(v.at+1, data[from:v.at+1])
		}
	}
	if atEOF {
		return v.end(len(data), data[from:])
	}
	v.at -= from
	return from, nil, nil
}

// between takes a character that is in no object.
func (v *Values) between(c byte) {
	if c != '\n' {
		v.text = v.text || strings.IndexByte(" \t\r[],\ufeff", c) < 0
		return
	}
	if v.text && !v.object {
		if v.Passed++; v.Passed == 1 {
			v.FirstPassed = v.line
		}
	}
	v.text, v.object = false, false
	v.line++
}

// within takes a character of an object, and reports whether it is the last.
func (v *Values) within(c byte) bool {
	switch {
	case v.escaping:
		v.escaping = false
	case v.quoted:
		v.quoted, v.escaping = c != '"', c == '\\'
	case c == '"':
		v.quoted = true
	case c == '{' || c == '[':
		v.depth++
	case c == '}' || c == ']':
		v.depth--
	}
	return v.depth == 0
}

// end is that of an object.
func (v *Values) end(advance int, object []byte) (int, []byte, error) {
	v.at, v.depth, v.quoted, v.escaping = 0, 0, false, false
	v.line += int64(bytes.Count(object, []byte("\n")))
	v.object = true
	return advance, object, nil
}

// Decode takes the object, and refuses fields that are not known.
func (v *Values) Decode(into any) error {
	d := json.NewDecoder(bytes.NewReader(v.in.Bytes()))
	d.DisallowUnknownFields()
	return v.Explain(d.Decode(into))
}

// Explain says in one line why the object cannot be decoded. Number becomes the line of an error of syntax.
func (v *Values) Explain(err error) error {
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Offset < int64(len(v.in.Bytes())):
		v.Number += int64(bytes.Count(v.in.Bytes()[:syntax.Offset], []byte("\n")))
		return fmt.Errorf("not JSON: %w", err)
	case syntax != nil, errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("not JSON: the object that begins here ends too early: was the file cut off?")
	case errors.As(err, &wrong):
		return errors.New(wrongType(wrong))
	case err != nil:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// interned keeps one of each item, key and read: lists show the same items again and again, and
// a large history would be several times its file otherwise.
type interned struct {
	keys  map[string]string
	items map[model.Item]*model.Item
	reads map[question]*model.Request
}

func newInterned() *interned {
	return &interned{keys: map[string]string{}, items: map[model.Item]*model.Item{}, reads: map[question]*model.Request{}}
}

// question is all that a Get or a List may say.
type question struct {
	kind                model.Kind
	key, end            string
	revision, limit     int64
	freshness           model.Freshness
	countOnly, keysOnly bool
	selection           model.Selection
}

// request is the first one that said the same, of reads; of others the same one, with keys that
// are kept once.
func (n *interned) request(r *model.Request) *model.Request {
	stray := r.Value != "" || r.Lease != 0 || r.TTL != 0 || r.PrevKV || r.IgnoreValue || r.IgnoreLease || r.Keys ||
		r.Compare != nil || r.Success != nil || r.Failure != nil
	if r.Kind != model.Get && r.Kind != model.List || stray {
		n.keysOf(r)
		return r
	}
	same := question{r.Kind, r.Key, r.End, r.Revision, r.Limit, r.Freshness, r.CountOnly, r.KeysOnly, r.Selection}
	known, ok := n.reads[same]
	if !ok {
		n.keysOf(r)
		n.reads[same] = r
		return r
	}
	return known
}

func (n *interned) keysOf(r *model.Request) {
	r.Key, r.End = n.key(r.Key), n.key(r.End)
	for i := range r.Compare {
		r.Compare[i].Key = n.key(r.Compare[i].Key)
	}
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		for i := range branch {
			n.keysOf(&branch[i])
		}
	}
}

func (n *interned) key(key string) string {
	known, ok := n.keys[key]
	if !ok {
		n.keys[key] = key
		return key
	}
	return known
}

func (n *interned) result(res *model.Result) {
	if res == nil {
		return
	}
	for _, items := range [...][]*model.Item{res.Items, res.Prev} {
		for i, it := range items {
			if it == nil {
				continue
			}
			known, ok := n.items[*it]
			if !ok {
				it.Key = n.key(it.Key)
				n.items[*it] = it
				continue
			}
			items[i] = known
		}
	}
	for i := range res.Results {
		n.result(&res.Results[i])
	}
}
