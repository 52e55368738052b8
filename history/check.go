package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/watchbed/watchbed/model"
)

// checkHistory refuses what no judge could make sense of. A wrong answer is
// none of that: finding those is what the judges are for.
func checkHistory(h *model.History, place func(i int) string) error {
	if err := checkInitial(&h.Initial); err != nil {
		return fmt.Errorf("initial store: %w", err)
	}
	// The last operation of each client that must have ended before its next.
	last := make([]int, len(h.Clients))
	for i := range last {
		last[i] = -1
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		if err := checkOperation(h, op); err != nil {
			return fmt.Errorf("%s: %w", place(i), err)
		}
		if i > 0 && op.Call < h.Operations[i-1].Call {
			return fmt.Errorf("%s: called before the operation in front of it: sort the operations by call", place(i))
		}
		if before := last[op.Client]; before >= 0 {
			end := h.Operations[before].Return
			if h.Operations[before].Outcome == model.Unknown {
				// The client gave up and went on.
				end = h.Operations[before].Call
			}
			if op.Call <= end {
				return &OverlapError{Client: shorten(h.Clients[op.Client]), Call: op.Call, Place: place(i), Before: place(before)}
			}
		}
		last[op.Client] = i
	}
	return nil
}

// OverlapError is a client that does two things at a time.
type OverlapError struct {
	Client string
	// Call is when the second operation began, Place where it stands, Before where the first does.
	Call          int64
	Place, Before string
}

func (e *OverlapError) Error() string {
	return fmt.Sprintf("%s: client %q calls at %d, not after the end of its operation before (%s): "+
		"a client does one thing at a time; give concurrent operations different clients", e.Place, e.Client, e.Call, e.Before)
}

func checkInitial(init *model.Initial) error {
	if init.Revision < 1 {
		return errors.New(`"revision" must be at least 1, that of an empty etcd`)
	}
	if init.Compacted < 0 || init.Compacted > init.Revision {
		return errors.New(`"compacted" must be from 0 to the revision`)
	}
	seen := make(map[string]bool, len(init.Items))
	for _, it := range init.Items {
		if it == nil || it.Key == "" {
			return errors.New("an item has no key")
		}
		if seen[it.Key] {
			return fmt.Errorf("key %q appears twice", shorten(it.Key))
		}
		seen[it.Key] = true
		if it.CreateRevision < 1 || it.ModRevision < it.CreateRevision || it.ModRevision > init.Revision || it.Version < 1 {
			return fmt.Errorf("key %q needs 1 <= create <= mod <= revision and version >= 1", shorten(it.Key))
		}
		if err := checkItem(it); err != nil {
			return err
		}
	}
	return nil
}

func checkOperation(h *model.History, op *model.Operation) error {
	if op.Client < 0 || op.Client >= len(h.Clients) || h.Clients[op.Client] == "" {
		return errors.New(`"client" is missing: it names the client that sent the request`)
	}
	if !utf8.ValidString(h.Clients[op.Client]) || !utf8.ValidString(op.Server) {
		return errors.New("the name of the client or server is not valid UTF-8")
	}
	if strings.ContainsFunc(h.Clients[op.Client]+op.Server, unicode.IsControl) {
		return fmt.Errorf("the name of the client or server has a control character: %q", h.Clients[op.Client]+op.Server)
	}
	if op.Request == nil {
		return errors.New(`"request" is missing`)
	}
	if err := checkRequest(op.Request); err != nil {
		return err
	}
	if op.Commit < -1 {
		return errors.New(`"commit" must be a revision, -1 (never took effect) or 0 (unknown)`)
	}
	if op.Commit != 0 && !op.Request.IsWrite() {
		return fmt.Errorf(`"commit" is for writes only, not for a %s: remove it`, op.Request.Kind)
	}
	if op.Outcome == model.Failed && op.Commit > 0 {
		return errors.New(`an operation that failed had no "commit": remove it, or write "unknown": true instead of "error"`)
	}
	if op.Outcome == model.Unknown {
		if op.Return != math.MaxInt64 {
			return errors.New(`an unknown outcome has no "return": it may still happen later`)
		}
		return nil
	}
	if op.Call >= op.Return {
		return fmt.Errorf(`"call" %d is not before "return" %d: use one counter that grows with every event, not a clock`, op.Call, op.Return)
	}
	if op.Return == math.MaxInt64 {
		return errors.New(`"return" is out of reach: only unknown outcomes never return`)
	}
	if op.Result == nil {
		return errors.New("the response is missing")
	}
	if op.Outcome == model.Failed {
		if op.Result.Err == model.OK {
			return errors.New("a failed operation needs its error")
		}
		if op.Result.Err == model.TimedOut && op.Request.IsWrite() {
			return fmt.Errorf(`a %s that timed out may have happened: write "unknown": true instead of "error"`, op.Request.Kind)
		}
		return nil
	}
	if op.Result.Err != model.OK {
		return errors.New("a response that carries an error is a failed operation")
	}
	if err := checkResult(op.Request, op.Result); err != nil {
		return err
	}
	changed := op.Request.Kind == model.LeaseRevoke || op.Request.Changed(op.Result)
	if c := op.Commit; c == -1 && changed || c > 0 && (!changed || op.Result.Revision != 0 && op.Result.Revision != c) {
		return fmt.Errorf(`"commit" %d contradicts the response: remove it`, c)
	}
	return nil
}

// fieldsOf are the fields that a request of each kind may have, and those of the answer to it.
var fieldsOf = [...]struct{ request, answer []string }{
	model.Put:         {[]string{"key", "value", "lease", "prevKV", "ignoreValue", "ignoreLease"}, []string{"prev"}},
	model.Delete:      {[]string{"key", "end", "prevKV"}, []string{"deleted", "prev"}},
	model.Txn:         {[]string{"compare", "success", "failure"}, []string{"succeeded", "responses"}},
	model.Get:         {[]string{"key", "freshness", "revision"}, []string{"items", "count", "more"}},
	model.List:        {[]string{"key", "end", "freshness", "revision", "limit", "countOnly", "keysOnly", "selection"}, []string{"items", "count", "more"}},
	model.Compact:     {[]string{"revision"}, nil},
	model.LeaseGrant:  {[]string{"lease", "ttl"}, nil},
	model.LeaseRevoke: {[]string{"lease"}, nil},
}

type field struct {
	name  string
	given bool
}

// stray is the first of the fields that is given and not allowed, empty if there is none.
func stray(allowed []string, fields ...field) string {
	for _, f := range fields {
		if f.given && !slices.Contains(allowed, f.name) {
			return f.name
		}
	}
	return ""
}

func checkRequest(r *model.Request) error {
	if !utf8.ValidString(r.Key) || !utf8.ValidString(r.End) || !utf8.ValidString(r.Value) {
		return errors.New("the request is not valid UTF-8: record binary values as a digest or in base64")
	}
	if r.Kind > lastKind {
		return fmt.Errorf("the format has no %s: leave it out, it changes no contents", r.Kind)
	}
	name := stray(fieldsOf[r.Kind].request,
		field{"key", r.Key != ""}, field{"end", r.End != ""}, field{"value", r.Value != ""}, field{"freshness", r.Freshness != model.Consistent},
		field{"limit", r.Limit != 0}, field{"countOnly", r.CountOnly}, field{"keysOnly", r.KeysOnly}, field{"selection", r.Selection != model.Selection{}},
		field{"ignoreValue", r.IgnoreValue}, field{"ignoreLease", r.IgnoreLease}, field{"lease", r.Lease != 0}, field{"ttl", r.TTL != 0},
		field{"prevKV", r.PrevKV}, field{"compare", r.Compare != nil}, field{"success", r.Success != nil}, field{"failure", r.Failure != nil},
		field{"revision", r.Revision != 0})
	lease := r.Kind == model.LeaseGrant || r.Kind == model.LeaseRevoke
	atRevision := r.Kind == model.Compact || r.Freshness == model.Exact || r.Freshness == model.NotOlderThan
	switch {
	case name != "":
		return fmt.Errorf("a %s has no %s: remove it", r.Kind, name)
	case r.Revision < 0 || r.Limit < 0:
		return errors.New(`"revision" and "limit" cannot be negative`)
	case r.Revision != 0 && !atRevision:
		return errors.New(`"revision" needs "freshness": "exact" or "not-older-than"`)
	case r.Revision == 0 && atRevision:
		return fmt.Errorf(`a %s that names a revision needs "revision" of at least 1`, r.Kind)
	case r.IgnoreValue && r.Value != "":
		return errors.New("a put that keeps the value has none: remove value or ignoreValue")
	case r.IgnoreLease && r.Lease != 0:
		return errors.New("a put that keeps the lease names none: remove lease or ignoreLease")
	case r.Lease < 0 || r.TTL < 0:
		return errors.New(`"lease" and "ttl" cannot be negative`)
	case r.Lease == 0 && lease:
		return fmt.Errorf(`a %s needs "lease": record the id that etcd answered if the client left it to etcd`, r.Kind)
	case r.Key == "" && r.Kind != model.Txn && r.Kind < model.Compact:
		return fmt.Errorf(`a %s needs "key"; "\u0000" with end "\u0000" is every key`, r.Kind)
	}
	for i := range r.Compare {
		if r.Compare[i].Key == "" || !utf8.ValidString(r.Compare[i].Key) {
			return errors.New(`a compare needs "key", in UTF-8`)
		}
	}
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		for i := range branch {
			if err := checkBranchRequest(&branch[i]); err != nil {
				return fmt.Errorf("in a transaction: %w", err)
			}
		}
	}
	return nil
}

func checkBranchRequest(r *model.Request) error {
	switch r.Kind {
	case model.Put, model.Delete, model.Get, model.List, model.Txn:
	default:
		return fmt.Errorf("a %s is not possible: use put, delete, get, list or txn", r.Kind)
	}
	if r.Freshness != model.Consistent {
		return errors.New("reads are at the transaction's own revision: remove freshness and revision")
	}
	return checkRequest(r)
}

func checkResult(r *model.Request, res *model.Result) error {
	if res.Revision < 0 || res.Count < 0 || res.Deleted < 0 {
		return errors.New(`"revision", "count" and "deleted" of a response cannot be negative`)
	}
	if name := stray(fieldsOf[r.Kind].answer,
		field{"items", res.Items != nil}, field{"count", res.Count != 0}, field{"more", res.More}, field{"deleted", res.Deleted != 0},
		field{"prev", res.Prev != nil}, field{"succeeded", res.Succeeded}, field{"responses", res.Results != nil}); name != "" {
		return fmt.Errorf("the response to a %s has no %s: remove it", r.Kind, name)
	}
	for _, items := range [...][]*model.Item{res.Items, res.Prev} {
		for _, it := range items {
			if it == nil || it.Key == "" {
				return errors.New("an item of the response has no key")
			}
			if it.CreateRevision < 0 || it.ModRevision < 0 || it.Version < 0 || it.Lease < 0 {
				return fmt.Errorf("the revisions and the lease of key %q cannot be negative", shorten(it.Key))
			}
			if err := checkItem(it); err != nil {
				return err
			}
		}
	}
	if r.Kind != model.Txn {
		return nil
	}
	branch := r.Branch(res.Succeeded)
	if len(res.Results) != len(branch) {
		return fmt.Errorf(`the branch that the transaction took has %d requests, but there are %d "responses"`, len(branch), len(res.Results))
	}
	for i := range branch {
		if res.Results[i].Revision != 0 {
			return errors.New(`"responses" of a transaction carry no revision: its own "revision" is theirs`)
		}
		if err := checkResult(&branch[i], &res.Results[i]); err != nil {
			return fmt.Errorf("in a transaction: %w", err)
		}
	}
	return nil
}

func checkItem(it *model.Item) error {
	if !utf8.ValidString(it.Key) || !utf8.ValidString(it.Value) {
		return errors.New("an item is not valid UTF-8: record binary values as a digest or in base64")
	}
	return nil
}

// twice finds keys that stand twice in one object. Package encoding/json takes the last of the two and
// says nothing, so that a line with two returns would be judged by one of them. It keeps its memory
// from line to line.
type twice struct {
	// keys are those of the objects that are open, begins is where those of each begin.
	keys   [][]byte
	begins []int
}

// find is a key that stands twice in one object of a line of valid JSON, nil if there is none.
// Keys are equal if encoding/json takes them for the same field, which does not look at case.
func (t *twice) find(line []byte) []byte {
	t.keys, t.begins = t.keys[:0], t.begins[:0]
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '{':
			t.begins = append(t.begins, len(t.keys))
		case '}':
			last := len(t.begins) - 1
			t.keys, t.begins = t.keys[:t.begins[last]], t.begins[:last]
		case '"':
			end := endOfString(line, i+1)
			text := line[i+1 : end]
			if i = end; !isKey(line[end+1:]) {
				continue
			}
			key := folded(text)
			for _, other := range t.keys[t.begins[len(t.begins)-1]:] {
				if len(key) == len(other) && bytes.EqualFold(key, other) {
					return text
				}
			}
			t.keys = append(t.keys, key)
		}
	}
	return nil
}

// endOfString is the place of the quote that ends a string.
func endOfString(line []byte, from int) int {
	for at := from; ; at++ {
		at += bytes.IndexByte(line[at:], '"')
		escapes := 0
		for at-1-escapes >= from && line[at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
	}
}

// isKey reports whether a string is a key, by what comes behind it.
func isKey(behind []byte) bool {
	for _, c := range behind {
		if c == ':' {
			return true
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return false
}

// folded is a key as encoding/json compares it with the names of fields, but for the case of
// its ASCII letters.
func folded(key []byte) []byte {
	plain := true
	for _, c := range key {
		plain = plain && c < 0x80 && c != '\\'
	}
	if plain {
		return key
	}
	var text string
	if json.Unmarshal([]byte(`"`+string(key)+`"`), &text) != nil {
		return key
	}
	return []byte(strings.Map(func(r rune) rune {
		// The smallest of the letters that differ in case alone, such as S of S, s and the long s.
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(r) {
			if next < r {
				return next
			}
			r = next
		}
		return r
	}, text))
}
