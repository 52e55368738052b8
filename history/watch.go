package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/watchbed/watchbed/model"
)

// watchJSON is a line about a watch: what a client asked for, which opens a stream, or one
// response on the stream that it opened last.
type watchJSON struct {
	Watch    string             `json:"watch"`
	Request  *watchRequestJSON  `json:"request,omitempty"`
	Response *watchResponseJSON `json:"response,omitempty"`
}

type watchRequestJSON struct {
	Key            string `json:"key"`
	End            string `json:"end,omitempty"`
	StartRevision  int64  `json:"startRevision,omitempty"`
	PrevKV         bool   `json:"prevKV,omitempty"`
	NoPut          bool   `json:"noPut,omitempty"`
	NoDelete       bool   `json:"noDelete,omitempty"`
	ProgressNotify bool   `json:"progressNotify,omitempty"`
	// Listed: the client listed everything before, and starts behind the list.
	Listed bool `json:"listed,omitempty"`
}

type watchResponseJSON struct {
	Revision        int64       `json:"revision,omitempty"`
	Events          []eventJSON `json:"events,omitempty"`
	Created         bool        `json:"created,omitempty"`
	Progress        bool        `json:"progress,omitempty"`
	Fragment        bool        `json:"fragment,omitempty"`
	Canceled        bool        `json:"canceled,omitempty"`
	CompactRevision int64       `json:"compactRevision,omitempty"`
}

type eventJSON struct {
	Type string      `json:"type"`
	Item *model.Item `json:"item"`
	Prev *model.Item `json:"prev,omitempty"`
}

var eventTypes = []string{model.PutEvent: "put", model.DeleteEvent: "delete"}

// isWatch reports whether a line is about a watch.
func isWatch(line []byte) bool {
	if bytes.HasPrefix(line, []byte(`{"watch":"`)) {
		// As Write has them.
		return true
	}
	if !bytes.Contains(line, []byte(`"watch"`)) {
		return false
	}
	var probe struct {
		Watch *string `json:"watch"`
	}
	return json.Unmarshal(line, &probe) == nil && probe.Watch != nil
}

// watchLine takes a line about a watch.
func watchLine(a *Assembly, d *decoder, line []byte) error {
	var in watchJSON
	if err := d.decode(line, &in); err != nil {
		return err
	}
	if (in.Request == nil) == (in.Response == nil) {
		return errors.New(`a watch line has either "request", which opens a stream, or "response"`)
	}
	if r := in.Request; r != nil {
		return a.AddWatch(in.Watch, model.WatchStream{Listed: r.Listed, Request: model.WatchRequest{
			Key: r.Key, End: r.End, StartRevision: r.StartRevision, PrevKV: r.PrevKV,
			NoPut: r.NoPut, NoDelete: r.NoDelete, ProgressNotify: r.ProgressNotify,
		}})
	}
	at, known := a.watchers[in.Watch]
	if !known {
		return fmt.Errorf("%q has not asked for a watch: put the line with its request before this one", shorten(in.Watch))
	}
	response, err := decodeWatchResponse(in.Response)
	if err != nil {
		return err
	}
	streams := a.History.Watchers[at].Streams
	last := &streams[len(streams)-1]
	last.Responses = append(last.Responses, response)
	return checkWatchResponse(&response)
}

func decodeWatchResponse(in *watchResponseJSON) (model.WatchResponse, error) {
	out := model.WatchResponse{
		Revision: in.Revision, Created: in.Created, Progress: in.Progress, Fragment: in.Fragment,
		Canceled: in.Canceled, CompactRevision: in.CompactRevision,
	}
	for i := range in.Events {
		e := &in.Events[i]
		kind := slices.Index(eventTypes, e.Type)
		if kind < 0 {
			return out, fmt.Errorf(`unknown "type" of an event %q: use put or delete`, shorten(e.Type))
		}
		event := model.WatchEvent{Type: model.EventType(kind), Item: e.Item, PrevItem: e.Prev}
		if e.Item != nil {
			event.Revision = e.Item.ModRevision
		}
		out.Events = append(out.Events, event)
	}
	return out, nil
}

func checkWatchRequest(client string, r *model.WatchRequest) error {
	switch {
	case client == "":
		return errors.New(`"watch" is empty: it names the client that watches`)
	case !utf8.ValidString(client) || strings.ContainsFunc(client, unicode.IsControl):
		return fmt.Errorf("the name of the client has a control character: %q", client)
	case r.Key == "":
		return errors.New(`a watch needs "key"; "\u0000" with end "\u0000" is every key`)
	case r.StartRevision < 0:
		return errors.New(`"startRevision" cannot be negative; leave it out for a watch from now on`)
	}
	return nil
}

func checkWatchResponse(r *model.WatchResponse) error {
	switch {
	case r.Revision < 0 || r.CompactRevision < 0:
		return errors.New(`"revision" and "compactRevision" cannot be negative`)
	case r.CompactRevision > 0 && !r.Canceled:
		return errors.New(`"compactRevision" is for a response that is canceled: remove it`)
	case (r.Created || r.Progress) && r.Revision == 0:
		return errors.New(`a response that is created or progress needs its "revision"`)
	}
	for i := range r.Events {
		e := &r.Events[i]
		for _, it := range [...]*model.Item{e.Item, e.PrevItem} {
			if it == nil {
				continue
			}
			if it.Key == "" || it.ModRevision < 1 || it.CreateRevision < 0 || it.Version < 0 {
				return errors.New(`an item of an event needs "key" and "mod"; of a deletion, mod is its revision`)
			}
			if err := checkItem(it); err != nil {
				return err
			}
		}
		if e.Item == nil {
			return errors.New(`an event needs "item"`)
		}
	}
	return nil
}

// checkWatchers refuses what Read would refuse.
func checkWatchers(h *model.History) error {
	for i := range h.Watchers {
		w := &h.Watchers[i]
		for k := range w.Streams {
			s := &w.Streams[k]
			if err := checkWatchRequest(w.Client, &s.Request); err != nil {
				return fmt.Errorf("watcher %d: %w", i, err)
			}
			for n := range s.Responses {
				if err := checkWatchResponse(&s.Responses[n]); err != nil {
					return fmt.Errorf("watcher %d: %w", i, err)
				}
			}
		}
	}
	return nil
}

// Watch opens the next stream of a client that watches. The responses of the stream before are complete.
func (w *Writer) Watch(client string, s *model.WatchStream) error {
	r := &s.Request
	return w.enc.Encode(watchJSON{Watch: client, Request: &watchRequestJSON{r.Key, r.End, r.StartRevision, r.PrevKV, r.NoPut, r.NoDelete, r.ProgressNotify, s.Listed}})
}

// Response is the next one of a client's stream.
func (w *Writer) Response(client string, r *model.WatchResponse) error {
	return w.enc.Encode(watchJSON{Watch: client, Response: encodeWatchResponse(r)})
}

func encodeWatchResponse(r *model.WatchResponse) *watchResponseJSON {
	out := &watchResponseJSON{
		Revision: r.Revision, Created: r.Created, Progress: r.Progress, Fragment: r.Fragment,
		Canceled: r.Canceled, CompactRevision: r.CompactRevision,
	}
	for i := range r.Events {
		e := &r.Events[i]
		item := *e.Item
		item.ModRevision = e.Revision
		out.Events = append(out.Events, eventJSON{eventTypes[e.Type], &item, e.PrevItem})
	}
	return out
}
