package history_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// good has a value of each field of the format, but for those of which a change shows where it has none.
const good = `{"format":"watchbed-history","version":1,"initial":{"revision":4,"compacted":2,"items":[{"key":"i","value":"0","create":3,"mod":4,"version":2,"lease":7}]}}
{"client":"w","op":"put","call":1,"return":2,"server":"m0","request":{"key":"i","value":"1","lease":8,"prevKV":true},"response":{"revision":5,"prev":[{"key":"i","value":"0","create":3,"mod":4,"version":2,"lease":7}]}}
{"client":"r","op":"get","call":3,"return":4,"request":{"key":"i"},"response":{"revision":5,"count":1,"items":[{"key":"i","value":"1","create":3,"mod":5,"version":3,"lease":8}]}}
{"client":"w","op":"put","call":5,"return":6,"request":{"key":"j","value":"2"},"response":{"revision":6}}
{"client":"r","op":"list","call":7,"return":8,"request":{"key":"i","end":"z","limit":1},"response":{"revision":6,"count":2,"more":true,"items":[{"key":"i","value":"1","create":3,"mod":5,"version":3,"lease":8}]}}
{"client":"r","op":"list","call":9,"return":10,"request":{"key":"i","end":"z","countOnly":true},"response":{"revision":6,"count":2}}
{"client":"r","op":"list","call":11,"return":12,"request":{"key":"i","end":"z","keysOnly":true},"response":{"revision":6,"items":[{"key":"i","create":3,"mod":5,"version":3,"lease":8},{"key":"j","create":6,"mod":6,"version":1}]}}
{"client":"r","op":"list","call":13,"return":14,"request":{"key":"i","end":"z","selection":{"sortBy":"mod","descending":true}},"response":{"revision":6,"items":[{"key":"j","value":"2","create":6,"mod":6,"version":1},{"key":"i","value":"1","create":3,"mod":5,"version":3,"lease":8}]}}
{"client":"r","op":"list","call":15,"return":16,"request":{"key":"i","end":"z","selection":{"minMod":6,"minCreate":6,"values":"2"}},"response":{"revision":6,"items":[{"key":"j","value":"2","create":6,"mod":6,"version":1}]}}
{"client":"r","op":"list","call":17,"return":18,"request":{"key":"i","end":"z","limit":1,"selection":{"maxMod":5,"maxCreate":3,"valuesEnd":"1"}},"response":{"revision":6,"items":[{"key":"i","value":"1","create":3,"mod":5,"version":3,"lease":8}]}}
{"client":"w","op":"txn","call":19,"return":20,"request":{"compare":[{"key":"i","target":"mod","result":"=","value":5},{"key":"i","end":"z","target":"value","result":"<","text":"3"}],"success":[{"op":"put","key":"k","value":"3"},{"op":"get","key":"i"},{"op":"txn","compare":[{"key":"j","target":"version","result":"=","value":2}],"success":[{"op":"delete","key":"i"}],"failure":[{"op":"put","key":"i","ignoreValue":true,"ignoreLease":true,"prevKV":true}]}]},"response":{"revision":7,"succeeded":true,"responses":[{},{"items":[{"key":"i","value":"1","create":3,"mod":5,"version":3,"lease":8}]},{"responses":[{"prev":[{"key":"i","value":"1","create":3,"mod":5,"version":3,"lease":8}]}]}]}}
{"client":"r","op":"list","call":21,"return":22,"request":{"key":"i","end":"z"},"response":{"revision":7,"items":[{"key":"i","value":"1","create":3,"mod":7,"version":4,"lease":8},{"key":"j","value":"2","create":6,"mod":6,"version":1},{"key":"k","value":"3","create":7,"mod":7,"version":1}]}}
{"client":"w","op":"delete","call":23,"return":24,"request":{"key":"j","end":"z","prevKV":true},"response":{"revision":8,"deleted":2,"prev":[{"key":"j","value":"2","create":6,"mod":6,"version":1},{"key":"k","value":"3","create":7,"mod":7,"version":1}]}}
{"client":"r","op":"list","call":25,"return":26,"request":{"key":"i","end":"z"},"response":{"revision":8,"items":[{"key":"i","value":"1","create":3,"mod":7,"version":4,"lease":8}]}}
{"client":"w","op":"lease-revoke","call":27,"return":28,"request":{"lease":8},"response":{"revision":9}}
{"client":"r","op":"get","call":29,"return":30,"request":{"key":"i"},"response":{"revision":9}}
{"client":"w","op":"put","call":31,"request":{"key":"l","value":"4"},"unknown":true,"commit":10}
{"client":"r","op":"get","call":33,"return":34,"request":{"key":"l"},"response":{"revision":10,"items":[{"key":"l","value":"4","create":10,"mod":10,"version":1}]}}
{"client":"r","op":"list","call":35,"return":36,"request":{"key":"i","end":"z","freshness":"exact","revision":5},"response":{"revision":10,"items":[{"key":"i","value":"1","create":3,"mod":5,"version":3,"lease":8}]}}
{"client":"w","op":"put","call":37,"return":38,"request":{"key":"l","value":"5"},"error":"too-many-requests"}
{"client":"w","op":"compact","call":39,"return":40,"request":{"revision":8},"response":{"revision":10}}
{"client":"w","op":"lease-grant","call":41,"return":42,"request":{"lease":9,"ttl":60},"response":{}}
{"client":"w","op":"delete","call":43,"return":44,"request":{"key":"m"},"response":{"revision":10}}
{"client":"w","op":"put","call":45,"return":46,"request":{"key":"l","value":"6"},"response":{"revision":11}}
{"client":"w","op":"put","call":47,"return":48,"request":{"key":"m","value":"7"},"response":{"revision":12}}
{"client":"r","op":"list","call":49,"return":50,"request":{"key":"i","end":"z","selection":{"shardFrom":5001505874911226840,"shardTo":5003481697306743557}},"response":{"revision":12,"items":[{"key":"l","value":"6","create":10,"mod":11,"version":2}]}}
{"watch":"a","request":{"key":"i","end":"z","startRevision":5,"prevKV":true,"progressNotify":true}}
{"watch":"a","response":{"revision":4,"created":true}}
{"watch":"a","response":{"revision":5,"events":[{"type":"put","item":{"key":"i","value":"1","create":3,"mod":5,"version":3,"lease":8},"prev":{"key":"i","value":"0","create":3,"mod":4,"version":2,"lease":7}}]}}
{"watch":"a","response":{"revision":6,"events":[{"type":"put","item":{"key":"j","value":"2","create":6,"mod":6,"version":1}}]}}
{"watch":"a","response":{"revision":6,"progress":true}}
{"watch":"a","response":{"revision":7,"fragment":true,"events":[{"type":"put","item":{"key":"k","value":"3","create":7,"mod":7,"version":1}}]}}
{"watch":"a","response":{"revision":7,"events":[{"type":"put","item":{"key":"i","value":"1","create":3,"mod":7,"version":4,"lease":8},"prev":{"key":"i","value":"1","create":3,"mod":5,"version":3,"lease":8}}]}}
{"watch":"a","response":{"revision":8,"events":[{"type":"delete","item":{"key":"j","mod":8},"prev":{"key":"j","value":"2","create":6,"mod":6,"version":1}},{"type":"delete","item":{"key":"k","mod":8},"prev":{"key":"k","value":"3","create":7,"mod":7,"version":1}}]}}
{"watch":"a","response":{"revision":9,"events":[{"type":"delete","item":{"key":"i","mod":9},"prev":{"key":"i","value":"1","create":3,"mod":7,"version":4,"lease":8}}]}}
{"watch":"a","response":{"revision":11,"events":[{"type":"put","item":{"key":"l","value":"4","create":10,"mod":10,"version":1}},{"type":"put","item":{"key":"l","value":"6","create":10,"mod":11,"version":2},"prev":{"key":"l","value":"4","create":10,"mod":10,"version":1}}]}}
{"watch":"b","request":{"key":"i","end":"z","startRevision":5,"noPut":true}}
{"watch":"b","response":{"revision":8,"events":[{"type":"delete","item":{"key":"j","mod":8}},{"type":"delete","item":{"key":"k","mod":8}}]}}
{"watch":"b","request":{"key":"i","end":"z","startRevision":3}}
{"watch":"b","response":{"revision":10,"canceled":true,"compactRevision":8}}
{"watch":"d","request":{"key":"i","end":"z","startRevision":9}}
{"watch":"d","response":{"revision":9,"events":[{"type":"delete","item":{"key":"i","mod":9}}]}}
{"watch":"d","request":{"key":"i","end":"z","startRevision":11,"listed":true}}
{"watch":"d","response":{"revision":11,"events":[{"type":"put","item":{"key":"l","value":"6","create":10,"mod":11,"version":2}}]}}
{"watch":"c","request":{"key":"i","end":"z","startRevision":5,"noDelete":true}}
{"watch":"c","response":{"revision":5,"events":[{"type":"put","item":{"key":"i","value":"1","create":3,"mod":5,"version":3,"lease":8}}]}}
{"watch":"c","response":{"revision":6,"events":[{"type":"put","item":{"key":"j","value":"2","create":6,"mod":6,"version":1}}]}}
{"watch":"c","response":{"revision":7,"events":[{"type":"put","item":{"key":"k","value":"3","create":7,"mod":7,"version":1}},{"type":"put","item":{"key":"i","value":"1","create":3,"mod":7,"version":4,"lease":8}}]}}
{"watch":"c","response":{"revision":10,"events":[{"type":"put","item":{"key":"l","value":"4","create":10,"mod":10,"version":1}}]}}
`

// notJudged are the fields of which no change can be told from another history that holds, with the reason.
var notJudged = map[string]string{
	"initial.compacted":             "what may be read after a compaction is not judged: a cache may still have it",
	"operation.server":              "it is for readers only",
	"request.ttl":                   "whether a time to live has passed is not judged",
	"watchRequest.progressNotify":   "it promises no bookmark in any number of responses",
	"watchResponse.created":         "a recorder may leave it out: its revision is judged",
	"watchResponse.compactRevision": "what may be read after a compaction is not judged",
}

// others are further values of fields that have few.
var others = map[string][]string{
	"op": {"put", "delete", "txn", "get", "list"}, "target": {"mod", "version", "create", "lease"}, "result": {"=", "!=", ">", "<"},
	"freshness": {"any", "not-older-than", "exact"}, "sortBy": {"version", "create", "mod", "value"}, "type": {"put", "delete"},
	"error": {"compacted", "future-revision", "timeout", "unavailable", "invalid"},
}

// changed says of a field of a struct what became of its changes.
type changed struct {
	// there: the good history has it. told: a change of it was told.
	there, told bool
	// inserted: it was put where it was not, refused: and that was refused each time.
	inserted, refused bool
	passed            []string
}

type fields struct {
	t     *testing.T
	lines []any
	of    map[string]*changed
	names []string
}

// TestEveryFieldIsJudged changes each field of a good history: the verdict is no longer "holds", or the history is
// refused.
func TestEveryFieldIsJudged(t *testing.T) {
	f := &fields{t: t, of: map[string]*changed{}}
	for text := range strings.Lines(good) {
		var line any = &history.OperationLine{}
		switch {
		case strings.HasPrefix(text, `{"format"`):
			line = &history.Header{}
		case strings.HasPrefix(text, `{"watch"`):
			line = &history.WatchLine{}
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(line), text)
		f.lines = append(f.lines, line)
	}
	verdict, refused := f.judge()
	require.NoError(t, refused)
	require.Equal(t, model.Holds, verdict)
	for _, line := range f.lines {
		f.walk(reflect.ValueOf(line).Elem(), "")
	}
	for _, kind := range []any{history.Header{}, history.OperationLine{}, history.WatchLine{}} {
		f.list(reflect.TypeOf(kind), "")
	}
	reasons := maps.Clone(notJudged)
	for _, name := range f.names {
		reason := notJudged[name]
		delete(reasons, name)
		c := f.of[name]
		if !assert.NotNil(t, c, "%s: the good history has no place for it", name) {
			continue
		}
		told := c.told || !c.there && c.inserted && c.refused
		assert.True(t, told == (reason == ""), "%s: there %v, told %v, reason %q, not told:\n%s", name, c.there, c.told, reason, strings.Join(c.passed, "\n"))
	}
	assert.Empty(t, reasons, "no such field")
}

// judge reads and judges the lines as they are.
func (f *fields) judge() (verdict model.Verdict, refused error) {
	var text bytes.Buffer
	for _, line := range f.lines {
		require.NoError(f.t, json.NewEncoder(&text).Encode(line))
	}
	h, err := history.Read(&text)
	if err != nil {
		return 0, err
	}
	r, err := check.History(h, check.Options{})
	require.NoError(f.t, err)
	return r.Verdict, nil
}

// nameOf is that of a field: the items of an answer and those before it are apart.
func nameOf(of reflect.Type, holder string, i int) (name, key string) {
	key, _, _ = strings.Cut(of.Field(i).Tag.Get("json"), ",")
	if of == reflect.TypeFor[model.Item]() {
		return holder + "." + key, key
	}
	return strings.TrimSuffix(of.Name(), "JSON") + "." + key, key
}

func pointee(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// list adds the names of all fields of a struct and of those in it.
func (f *fields) list(of reflect.Type, holder string) {
	for i := range of.NumField() {
		name, _ := nameOf(of, holder, i)
		if strings.Contains(" "+strings.Join(f.names, " ")+" ", " "+name+" ") {
			continue
		}
		f.names = append(f.names, name)
		if inner := pointee(of.Field(i).Type); inner.Kind() == reflect.Struct {
			f.list(inner, name)
		}
	}
}

// walk changes all fields of a struct, one after the other.
func (f *fields) walk(v reflect.Value, holder string) {
	for i := range v.NumField() {
		name, key := nameOf(v.Type(), holder, i)
		c := f.of[name]
		if c == nil {
			c = &changed{refused: true}
			f.of[name] = c
		}
		field := v.Field(i)
		there := !field.IsZero()
		c.there = c.there || there
		was := reflect.New(field.Type()).Elem()
		was.Set(field)
		for _, other := range f.otherValues(was, key) {
			field.Set(other)
			verdict, refused := f.judge()
			// A field that is refused where it has no place says nothing of those where it has one.
			c.told = c.told || there && refused != nil || refused == nil && verdict != model.Holds
			if !there {
				c.inserted, c.refused = true, c.refused && refused != nil
			}
			if refused == nil && verdict == model.Holds {
				text, _ := json.Marshal(v.Addr().Interface())
				c.passed = append(c.passed, fmt.Sprintf("  %s", text))
			}
			field.Set(was)
		}
		switch {
		case field.Kind() == reflect.Pointer && field.Elem().Kind() == reflect.Struct:
			f.walk(field.Elem(), name)
		case field.Kind() == reflect.Slice:
			for n := range field.Len() {
				if element := reflect.Indirect(field.Index(n)); element.Kind() == reflect.Struct {
					f.walk(element, name)
				}
			}
		}
	}
}

// otherValues are some that a field could have in place of its own.
func (f *fields) otherValues(was reflect.Value, key string) (all []reflect.Value) {
	add := func(x any) { all = append(all, reflect.ValueOf(x).Convert(was.Type())) }
	switch was.Kind() {
	case reflect.String:
		for _, text := range others[key] {
			if text != was.String() {
				add(text)
			}
		}
		if others[key] == nil {
			add(was.String() + "x")
		}
		if was.String() != "" {
			add("")
		}
	case reflect.Bool:
		add(!was.Bool())
	case reflect.Uint64:
		add(was.Uint() + 1)
	case reflect.Int, reflect.Int64:
		add(was.Int() + 1)
		if was.Int() > 0 {
			add(was.Int() - 1)
		}
		if was.Int() > 1 {
			add(0)
		}
	case reflect.Pointer:
		if was.Type().Elem().Kind() == reflect.Int64 {
			more := int64(1)
			if !was.IsNil() {
				more += was.Elem().Int()
			}
			add(&more)
		}
		if !was.IsNil() {
			all = append(all, reflect.Zero(was.Type()))
		}
	case reflect.Slice:
		if n := was.Len(); n > 0 {
			all = append(all, was.Slice(0, n-1))
		}
	}
	return all
}
