package robustness

import (
	"fmt"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// watchJSON is WatchOperation.
type watchJSON struct {
	Request struct {
		Key                string
		Revision           int64
		WithPrefix         bool
		WithProgressNotify bool
		WithPrevKV         bool
	}
	Responses []responseJSON
}

type responseJSON struct {
	Events           []eventJSON
	IsProgressNotify bool
	Revision         int64
	Time             int64
	Error            string
}

type eventJSON struct {
	Type      string
	Key       string
	Value     valueJSON
	Revision  int64
	IsCreate  bool
	PrevValue *struct {
		Value       valueJSON
		ModRevision int64
		Version     int64
	}
}

// watch takes a watch of a client.
func (r *reader) watch(name string, v *history.Values) error {
	var in watchJSON
	if err := decode(v, &in); err != nil {
		return err
	}
	q := &in.Request
	s := model.WatchStream{Request: model.WatchRequest{
		Key: q.Key, StartRevision: q.Revision, PrevKV: q.WithPrevKV, ProgressNotify: q.WithProgressNotify,
	}}
	if q.WithPrefix {
		s.Request.End = model.PrefixEnd(q.Key)
		if q.Key == "" {
			// clientv3 asks for every key then.
			s.Request.Key = "\x00"
		}
	}
	for i := range in.Responses {
		response, err := in.Responses[i].response()
		if err != nil {
			return err
		}
		s.Responses = append(s.Responses, response)
	}
	return r.assembly.AddWatch(name, s)
}

func (in *responseJSON) response() (model.WatchResponse, error) {
	out := model.WatchResponse{Revision: in.Revision, Progress: in.IsProgressNotify, Canceled: in.Error != ""}
	for i := range in.Events {
		e, err := in.Events[i].event()
		if err != nil {
			return out, err
		}
		out.Events = append(out.Events, e)
	}
	return out, nil
}

func (in *eventJSON) event() (model.WatchEvent, error) {
	e := model.WatchEvent{
		Revision: in.Revision,
		Item:     &model.Item{Key: in.Key, Value: in.Value.text(), ModRevision: in.Revision},
	}
	switch in.Type {
	case "put-operation":
	case "delete-operation":
		e.Type = model.DeleteEvent
	default:
		return e, fmt.Errorf("unknown Type of an event %q", in.Type)
	}
	if in.IsCreate {
		e.Item.CreateRevision = in.Revision
	}
	if p := in.PrevValue; p != nil {
		e.PrevItem = &model.Item{Key: in.Key, Value: p.Value.text(), ModRevision: p.ModRevision, Version: p.Version}
	}
	return e, nil
}
