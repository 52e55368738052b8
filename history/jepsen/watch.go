package jepsen

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// watches are of the one key that is written, "w".
type watches struct {
	// seen is up to where each process has watched.
	seen map[string]int64
}

const watched = "w"

func (w *watches) add(a *history.Assembly, o *op) error {
	switch o.f {
	case "write":
		return done(a, o, &model.Request{Kind: model.Put, Key: watched, Value: o.asked.String()}, func() (*model.Result, error) {
			return &model.Result{}, nil
		})
	case "watch", "final-watch":
		if o.how != "ok" {
			// What it was sent is not told.
			return nil
		}
		return w.stream(a, o)
	}
	return unknownF(o.f)
}

// stream takes what a watch was sent. A process watches on from where it was, but the last
// watch of all keeps the events of its last try only, of which the start is not known.
func (w *watches) stream(a *history.Assembly, o *op) error {
	s := model.WatchStream{Request: model.WatchRequest{Key: watched}}
	if o.f == "watch" {
		s.Request.StartRevision = w.seen[o.process] + 1
	}
	responses := o.told.get("events")
	if len(responses.items) == 0 && len(o.told.get("log").items) > 0 {
		return errors.New("a watch has a :log and no :events: the revisions of events are needed")
	}
	for i := range responses.items {
		var r model.WatchResponse
		events := responses.items[i].get("events")
		for k := range events.items {
			e, err := eventOf(&events.items[k])
			if err != nil {
				return err
			}
			r.Events = append(r.Events, e)
			r.Revision = max(r.Revision, e.Revision)
		}
		s.Responses = append(s.Responses, r)
	}
	revision, err := number(o.told.get("revision"))
	if err != nil {
		return fmt.Errorf("the :revision of a watch: %w", err)
	}
	w.seen[o.process] = revision
	return a.AddWatch("process "+o.process, s)
}

// eventOf reads {:type :put, :kv ["w" {:value 3, :mod-revision 7, ...}]}.
func eventOf(v *value) (model.WatchEvent, error) {
	var e model.WatchEvent
	kv := v.get("kv")
	if len(kv.items) != 2 {
		return e, errors.New("an event needs :kv with a key and what it is, such as [\"w\" {:value 3, :mod-revision 7}]")
	}
	if v.get("type").word == "delete" {
		e.Type = model.DeleteEvent
	}
	it := &model.Item{Key: kv.items[0].String(), Value: kv.items[1].get("value").String()}
	for _, of := range [...]struct {
		name string
		into *int64
	}{{"mod-revision", &it.ModRevision}, {"create-revision", &it.CreateRevision}, {"version", &it.Version}} {
		n, err := number(kv.items[1].get(of.name))
		if err != nil {
			return e, fmt.Errorf("the :%s of an event: %w", of.name, err)
		}
		*of.into = n
	}
	e.Item, e.Revision = it, it.ModRevision
	return e, nil
}

// number is 0 for nil.
func number(v *value) (int64, error) {
	if v.isNil() {
		return 0, nil
	}
	n, err := strconv.ParseInt(v.word, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is no number from 0 on", shorten(v.String()))
	}
	return n, nil
}
