// Package format (unstable) reads a history of any of the formats that are
// known, and tells which one it is. It must never import a judge.
package format

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/history/audit"
	"github.com/watchbed/watchbed/history/jepsen"
	"github.com/watchbed/watchbed/history/robustness"
	"github.com/watchbed/watchbed/model"
)

// Format names one.
type Format string

// The formats. A robustness report is a folder, the others are files or streams.
const (
	Watchbed   Format = "watchbed"
	Robustness Format = "robustness"
	Jepsen     Format = "jepsen"
	Audit      Format = "audit"
	Watch      Format = "watch"
)

// Names are those of all formats.
func Names() []string {
	return []string{string(Watchbed), string(Robustness), string(Jepsen), string(Audit), string(Watch)}
}

// Recorded is a history that was read.
type Recorded struct {
	Format  Format
	History *model.History
	// Properties are the properties that can be judged of the history, if the format says so.
	Properties []string
	// Notes are sentences on what the format leaves out of this history.
	Notes []string
}

// Read reads a folder or a file. A format of "" is told from the input. What through returns
// of an open file is read in its place. Every error is one line with the place at fault.
func Read(name string, want Format, through func(*os.File) io.Reader) (*Recorded, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, errors.Unwrap(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if want == Robustness {
			return nil, fmt.Errorf("%s: a robustness report is a folder, with client-1/operations.json in it", name)
		}
		r, err := ReadStream(through(f), want)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return r, nil
	}
	switch {
	case want != "" && want != Robustness:
		return nil, fmt.Errorf("%s: a folder is a robustness report, and the format %s is a file", name, want)
	case want == "" && !robustness.IsReport(name):
		return nil, fmt.Errorf("%s: a folder that is no robustness report: there is no client-1/operations.json or such", name)
	}
	h, err := robustness.Read(name, through)
	if err != nil {
		return nil, err
	}
	return &Recorded{Format: Robustness, History: h}, nil
}

// ReadStream reads what is no folder.
func ReadStream(r io.Reader, want Format) (*Recorded, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	out := &Recorded{Format: want}
	if want == "" {
		out.Format = detect(in)
	}
	var err error
	switch out.Format {
	case Watchbed:
		out.History, err = history.Read(in)
	case Jepsen:
		out.History, out.Notes, err = jepsen.Read(in)
	case Audit:
		out.History, out.Notes, err = audit.Read(in)
	case Watch:
		out.History, out.Properties, out.Notes, err = readWatches(in)
	default:
		err = errors.New("a robustness report is a folder, and this is a stream")
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// detect looks at what a buffer holds of the beginning. What nothing else knows is watchbed's,
// whose reader says what is wrong.
func detect(in *bufio.Reader) Format {
	// An error is met again by the reader.
	ahead, _ := in.Peek(in.Size())
	if jepsen.Begins(string(bytes.TrimPrefix(ahead, []byte("\ufeff")))) {
		return Jepsen
	}
	has := keys(ahead)
	switch {
	case has["client"], has["op"], has["format"], has["watch"]:
		return Watchbed
	case bytes.Contains(ahead, []byte("audit.k8s.io/")):
		return Audit
	case has["Header"], has["header"], has["result"], has["object"], has["apiVersion"], has["ClientId"]:
		return Watch
	}
	return Watchbed
}

// keys are those of the first JSON object, as far as it is there.
func keys(text []byte) map[string]bool {
	out := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(text[max(0, bytes.IndexByte(text, '{')):]))
	if _, err := d.Token(); err != nil {
		return out
	}
	for d.More() {
		key, _ := d.Token()
		name, isName := key.(string)
		if !isName {
			break
		}
		out[name] = true
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
	}
	return out
}

// watchJSON is a response of etcd to a watch, as etcdctl prints it and as the gRPC gateway sends it, or an
// event of Kubernetes' API. Package encoding/json does not look at the case of names, and takes a json.Number
// in quotes, as the gateway writes it.
type watchJSON struct {
	// Result and Error are the gateway's.
	Result *watchJSON
	Error  json.RawMessage
	Header *struct{ Revision json.Number }
	// CompactRevision is etcdctl's, which prints it always.
	CompactRevision             *json.Number
	Compacted                   json.Number `json:"compact_revision"`
	WatchID                     json.Number `json:"watch_id"`
	Created, Canceled, Fragment bool
	Events                      []struct {
		Type json.RawMessage
		KV   itemJSON
		Prev *itemJSON `json:"prev_kv"`
	}
	// Type and Object are Kubernetes'.
	Type   string
	Object *struct {
		Kind     string
		Metadata struct{ Name, Namespace, ResourceVersion string }
	}
	// What is no watch, but is taken for one, has these.
	APIVersion string
	ClientID   json.Number
}

type itemJSON struct {
	Key, Value []byte
	Create     json.Number `json:"create_revision"`
	Mod        json.Number `json:"mod_revision"`
	Version    json.Number
}

// watches are what a client was sent on watches that are recorded alone.
type watches struct {
	// names are in the order in which the watches were opened, streams are those of each.
	names   []string
	streams map[string][]model.WatchStream
}

// readWatches reads a file with nothing but what was sent on watches. The properties are those that such a
// file can tell.
func readWatches(r io.Reader) (h *model.History, properties, notes []string, err error) {
	w := &watches{streams: map[string][]model.WatchStream{}}
	in := history.NewValues(r, history.MaxLineBytes, "record a shorter run")
	kubernetes := false
	err = in.Each(func(object []byte, _ int64) error {
		var value watchJSON
		if err := in.Explain(json.Unmarshal(object, &value)); err != nil {
			return err
		}
		kubernetes = kubernetes || value.Object != nil
		return w.take(&value)
	})
	if err != nil {
		return nil, nil, nil, err
	}
	a := history.NewAssembly()
	a.History.Partial = true
	for _, name := range w.names {
		for _, s := range w.streams[name] {
			if kubernetes {
				inOrder(s.Responses)
			}
			if err := a.AddWatch(name, s); err != nil {
				return nil, nil, nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	properties = []string{string(model.Ordered), string(model.Unique)}
	if !kubernetes {
		// Kubernetes sends each event of a revision apart.
		properties = append(properties, string(model.Atomic))
	}
	if slices.ContainsFunc(a.History.Watchers, func(w model.Watcher) bool {
		return slices.ContainsFunc(w.Streams, func(s model.WatchStream) bool { return s.Request.PrevKV })
	}) {
		properties = append(properties, string(model.PrevKV))
	}
	notes = []string{"a watch alone: it does not tell what it was not sent, nor whether what it was sent was written"}
	return a.History, append(properties, string(model.Bookmarkable)), notes, nil
}

// errAnswer is about what etcdctl and the gateway print of other requests than watches.
var errAnswer = errors.New("an answer of etcd, as etcdctl put, get and del -w json print it, without what was asked for, by which client and when: " +
	"record each operation with these (go doc github.com/watchbed/watchbed/history)")

func (w *watches) take(in *watchJSON) error {
	switch {
	case in.Result != nil:
		client := "gateway"
		if in.Result.WatchID != "" {
			client += ", watch " + string(in.Result.WatchID)
		}
		return w.etcd(client, in.Result)
	case in.CompactRevision != nil:
		in.Compacted = *in.CompactRevision
		return w.etcd("etcdctl", in)
	case in.Object != nil && in.Type != "":
		return w.kubernetes(in)
	case in.Header != nil:
		return errAnswer
	case in.Error != nil:
		w.add("gateway", model.WatchResponse{Canceled: true})
		return nil
	case in.APIVersion != "":
		return errors.New("an object of Kubernetes without the type of an event: record with kubectl get -w --output-watch-events -o json")
	case in.ClientID != "":
		return errors.New("an operation of a report of robustness tests: name the folder with client-1/operations.json in it")
	}
	return errors.New("neither a response of etcd to a watch nor an event of Kubernetes")
}

// etcd takes a response of etcd.
func (w *watches) etcd(client string, in *watchJSON) error {
	out := model.WatchResponse{Canceled: in.Canceled, CompactRevision: number(in.Compacted), Fragment: in.Fragment}
	if in.Header != nil {
		out.Revision = number(in.Header.Revision)
	}
	out.Progress = out.Revision > 0 && len(in.Events) == 0 && !in.Created && !in.Canceled && out.CompactRevision == 0
	for i := range in.Events {
		e := model.WatchEvent{Item: in.Events[i].KV.item()}
		e.Revision = e.Item.ModRevision
		if prev := in.Events[i].Prev; prev != nil {
			e.PrevItem = prev.item()
		}
		// etcdctl writes the number, the gateway the name, and both leave out that of a put.
		switch kind := string(in.Events[i].Type); kind {
		case "", "0", `"PUT"`:
		case "1", `"DELETE"`:
			e.Type = model.DeleteEvent
		default:
			return fmt.Errorf("unknown type of an event %s: want 0, 1, PUT or DELETE", kind)
		}
		out.Events = append(out.Events, e)
	}
	if in.Created {
		w.open(client)
	}
	w.add(client, out)
	return nil
}

// kubernetes takes an event of Kubernetes.
func (w *watches) kubernetes(in *watchJSON) error {
	m := &in.Object.Metadata
	revision, err := strconv.ParseInt(m.ResourceVersion, 10, 64)
	if in.Type == "ERROR" {
		w.add("kubectl", model.WatchResponse{Canceled: true})
		return nil
	}
	if err != nil || revision < 1 {
		return fmt.Errorf("the resourceVersion %q is no revision of etcd", m.ResourceVersion)
	}
	key := in.Object.Kind + " " + m.Name
	if m.Namespace != "" {
		key = in.Object.Kind + " " + m.Namespace + "/" + m.Name
	}
	e := model.WatchEvent{Revision: revision, Item: &model.Item{Key: key, ModRevision: revision}}
	switch in.Type {
	case "BOOKMARK":
		w.add("kubectl", model.WatchResponse{Revision: revision, Progress: true})
		return nil
	case "ADDED":
		// It tells inOrder that the object was added.
		e.Item.CreateRevision = revision
	case "MODIFIED":
	case "DELETED":
		e.Type = model.DeleteEvent
	default:
		return fmt.Errorf("unknown type of an event %q: want ADDED, MODIFIED, DELETED, BOOKMARK or ERROR", in.Type)
	}
	w.add("kubectl", model.WatchResponse{Revision: revision, Events: []model.WatchEvent{e}})
	return nil
}

// inOrder sorts what was added first: it may come from a list, which is in the order of keys.
func inOrder(all []model.WatchResponse) {
	first := slices.IndexFunc(all, func(r model.WatchResponse) bool { return len(r.Events) == 0 || r.Events[0].Item.CreateRevision == 0 })
	if first >= 0 {
		all = all[:first]
	}
	slices.SortStableFunc(all, func(a, b model.WatchResponse) int { return cmp.Compare(a.Revision, b.Revision) })
}

// open begins a stream of a watch. What was asked for is not recorded: it may be every key.
func (w *watches) open(name string) {
	if w.streams[name] == nil {
		w.names = append(w.names, name)
	}
	w.streams[name] = append(w.streams[name], model.WatchStream{Request: model.WatchRequest{Key: "\x00", End: "\x00"}})
}

// add adds a response to the open stream. Behind a canceled stream begins the next.
func (w *watches) add(name string, r model.WatchResponse) {
	ended := func(s *model.WatchStream) bool {
		n := len(s.Responses)
		return n > 0 && s.Responses[n-1].Canceled
	}
	if s := w.streams[name]; s == nil || ended(&s[len(s)-1]) {
		w.open(name)
	}
	s := &w.streams[name][len(w.streams[name])-1]
	s.Responses = append(s.Responses, r)
	s.Request.PrevKV = s.Request.PrevKV || slices.ContainsFunc(r.Events, func(e model.WatchEvent) bool { return e.PrevItem != nil })
}

func (kv *itemJSON) item() *model.Item {
	return &model.Item{Key: text(kv.Key), Value: text(kv.Value), CreateRevision: number(kv.Create), ModRevision: number(kv.Mod), Version: number(kv.Version)}
}

// number is 0 for what is none, which is refused where there must be one.
func number(n json.Number) int64 {
	out, _ := n.Int64()
	return out
}

// text is a key or a value: in base64, as it was recorded, if it is binary.
func text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return base64.StdEncoding.EncodeToString(b)
}
