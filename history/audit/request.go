package audit

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/model"
)

// get takes a read of one object: found, or answered that there is none.
func (l *log) get(e *event, op model.Operation, line int64) (bool, error) {
	parameters, err := e.parameters()
	if err != nil {
		return false, err
	}
	op.Request = &model.Request{Kind: model.Get, Key: e.key(e.ObjectRef.Namespace, e.ObjectRef.Name)}
	op.Result = &model.Result{}
	if !freshness(op.Request, parameters.Get("resourceVersion"), "") || e.ObjectRef.Name == "" {
		return false, nil
	}
	if e.code() == codeNotFound {
		l.add(e, op, line)
		return true, nil
	}
	if e.code() != codeOK || e.ResponseObject == nil {
		return false, nil
	}
	m := &e.ResponseObject.Metadata
	if rows := e.ResponseObject.Rows; e.ResponseObject.Kind == "Table" {
		if len(rows) != 1 {
			return false, nil
		}
		m = &rows[0].Object.Metadata
	}
	rev, err := m.revision()
	if err != nil || rev == 0 {
		return false, err
	}
	op.Result.Items, op.Result.Count = []*model.Item{{Key: op.Request.Key, ModRevision: rev}}, 1
	l.objects.saw(op.Request.Key, rev, m.Labels)
	l.add(e, op, line)
	return true, nil
}

// list takes a list that shows all of its range that is selected, or a page of it.
func (l *log) list(e *event, op model.Operation, line int64) (bool, error) {
	parameters, err := e.parameters()
	if err != nil {
		return false, err
	}
	selected, valid := readSelection(parameters)
	if op.Request = l.listed(e, parameters); op.Request == nil || !valid || e.code() != codeOK || e.ResponseObject == nil {
		return false, nil
	}
	o := e.ResponseObject
	rev, err := o.Metadata.revision()
	if err != nil || rev == 0 {
		return false, err
	}
	op.Result = &model.Result{Revision: rev, More: o.Metadata.Continue != ""}
	if valid, err := l.shown(e, op.Result); !valid || err != nil {
		return false, err
	}
	if n := len(op.Result.Items); op.Result.More && n > 0 {
		l.issue(o.Metadata.Continue, e.key(e.ObjectRef.Namespace, ""), op.Result.Items[n-1].Key, rev)
	}
	if !selected.empty() {
		l.selected = append(l.selected, &selectedList{client(e), op, selected, e.key("", ""), line})
		return true, nil
	}
	if limit, err := strconv.ParseInt(parameters.Get("limit"), 10, 64); err == nil && op.Result.More {
		op.Request.Limit = max(limit, op.Result.Count)
		// How many there are behind the page is not known exactly.
		op.Result.Count++
	}
	l.add(e, op, line)
	return true, nil
}

// listed is the range that a list asks for, and how fresh: nil if that cannot be judged.
func (l *log) listed(e *event, parameters url.Values) *model.Request {
	prefix := e.key(e.ObjectRef.Namespace, "")
	r := &model.Request{Kind: model.List, Key: prefix, End: model.PrefixEnd(prefix)}
	match, version := parameters.Get("resourceVersionMatch"), parameters.Get("resourceVersion")
	if token := parameters.Get("continue"); token != "" {
		from, known := l.startOf(token, prefix)
		if !known || version != "" && version != "0" || match != "" {
			return nil
		}
		r.Key, version = from.key, ""
		if from.revision > 0 {
			match, version = "Exact", strconv.FormatInt(from.revision, 10)
		}
	}
	if match == "" && version != "0" && parameters.Get("limit") != "" {
		// A page of a resourceVersion is of exactly that one.
		match = "Exact"
	}
	if version == "" {
		match = ""
	}
	if !freshness(r, version, match) {
		return nil
	}
	return r
}

// shown adds what a list shows to its result. It reports whether each object is known.
func (l *log) shown(e *event, result *model.Result) (bool, error) {
	o := e.ResponseObject
	result.Items = make([]*model.Item, 0, len(o.Items)+len(o.Rows))
	for i := range o.Items {
		if known, err := l.show(e, &o.Items[i].Metadata, result); !known || err != nil {
			return false, err
		}
	}
	for i := range o.Rows {
		if known, err := l.show(e, &o.Rows[i].Object.Metadata, result); !known || err != nil {
			return false, err
		}
	}
	slices.SortFunc(result.Items, func(a, b *model.Item) int { return cmp.Compare(a.Key, b.Key) })
	result.Count = int64(len(result.Items))
	return true, nil
}

// show adds an object of a list to its result.
func (l *log) show(e *event, m *metadata, result *model.Result) (bool, error) {
	mod, err := m.revision()
	if err != nil || mod == 0 || m.Name == "" {
		return false, err
	}
	it := &model.Item{Key: e.key(m.Namespace, m.Name), ModRevision: mod}
	result.Items = append(result.Items, it)
	l.objects.saw(it.Key, mod, m.Labels)
	return true, nil
}

// write takes a write that is answered with the object that it wrote.
func (l *log) write(e *event, op model.Operation, line int64) (bool, error) {
	parameters, err := e.parameters()
	if err != nil || parameters.Get("dryRun") != "" {
		return false, err
	}
	if code := e.code(); code != codeOK && code != codeCreated || e.ResponseObject == nil {
		return false, nil
	}
	m := &e.ResponseObject.Metadata
	rev, err := m.revision()
	// Some creations, such as reviews and bindings, store nothing.
	if err != nil || rev == 0 || m.Name == "" {
		return false, err
	}
	key := e.key(m.Namespace, m.Name)
	op.Request, op.Result = &model.Request{Kind: model.Put, Key: key}, &model.Result{Revision: rev}
	l.objects.saw(key, rev, m.Labels)
	sent := e.RequestObject
	l.writes = append(l.writes, write{
		client: client(e), operation: op, key: key, revision: rev, line: line,
		idle: sent != nil && sent.Metadata.ResourceVersion == m.ResourceVersion,
	})
	return true, nil
}

// delete takes a delete that is answered with a Status: the object is gone, at an unknown
// revision. The history has that as a read that finds nothing: such a moment there was, and
// the deletion itself is one of the writes that are not recorded. A delete that is answered
// with the object may have marked it only.
func (l *log) delete(e *event, op model.Operation, line int64) (bool, error) {
	parameters, err := e.parameters()
	if err != nil || parameters.Get("dryRun") != "" || e.ObjectRef.Name == "" {
		return false, err
	}
	gone := e.code() == codeOK && e.ResponseObject != nil && e.ResponseObject.Kind == "Status"
	if !gone && e.code() != codeNotFound {
		return false, nil
	}
	op.Request = &model.Request{Kind: model.Get, Key: e.key(e.ObjectRef.Namespace, e.ObjectRef.Name)}
	op.Result = &model.Result{}
	l.add(e, op, line)
	return true, nil
}

// start is where a page begins: at a key, in the state at a revision. A revision below 0 is a
// page of the newest state, behind a token that had expired.
type start struct {
	key      string
	revision int64
}

// startOf is the start of a page with a continue token. What an earlier page in the log has
// shown counts more than what the token says: a token that leads past objects is wrong. It
// reports false for a token that Kubernetes would refuse.
func (l *log) startOf(token, prefix string) (start, bool) {
	if s, issued := l.issued[prefix+token]; issued {
		return s, true
	}
	// The form is that of storage.EncodeContinue of k8s.io/apiserver.
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return start{}, false
	}
	var t struct {
		Version  string `json:"v"`
		Revision int64  `json:"rv"`
		Start    string `json:"start"`
	}
	if json.Unmarshal(text, &t) != nil || t.Version != "meta.k8s.io/v1" || t.Revision == 0 || t.Start == "" {
		return start{}, false
	}
	key := "/" + strings.TrimPrefix(t.Start, "/")
	if path.Clean(key) != key {
		return start{}, false
	}
	return start{prefix + key[1:], t.Revision}, true
}

// issue keeps where the page behind a token begins: behind the last object that was shown.
// Lists of several resources may have the same token.
func (l *log) issue(token, prefix, last string, revision int64) {
	l.issued[prefix+token] = start{last + "\x00", revision}
}
