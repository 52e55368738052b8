package v3rpc

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// This file is what known bugs make of what an etcd server sends: the answers of its key-value API, and the events in
// responses of its watch API. All releases send what the store says.

// Answers is what etcd answers to requests of its key-value API.
type Answers uint8

const (
	rightAnswers Answers = iota
	countOfSelection
	deletesCountOne
	newValueAsPrevious
	requestedRevision
)

// Events is which events etcd puts into a response to a watch.
type Events uint8

const (
	rightEvents Events = iota
	deletedWithoutValue
	previousOfCreated
	shareValue
)

// AnswersOption is the option answers.
func AnswersOption[C any](field func(*C) *Answers) option.Option[C] {
	return option.Choice("answers", field, "what etcd answers to requests of its key-value API",
		option.Val("right", "what its store says: all releases"),
		option.Bug("count-of-selection", "of a range the number of keys within the bounds of revisions: no release"),
		option.Bug("deletes-count-one", "of a deletion that one key is deleted, however many are: no release"),
		option.Bug("new-value-as-previous", "of a put the new value where the previous one is asked for: no release"),
		option.Bug("requested-revision", "of a range at a revision that etcd is at this revision: no release (kine#595)"))
}

var sentEventsOption = option.Choice("sent-events", func(o *Options) *Events { return &o.SentEvents }, "which events etcd puts into a response to a watch",
	option.Val("right", "what its store says: all releases"),
	option.Bug("deleted-without-value", "those of the store, but the previous values of deletions are empty: no release"),
	option.Bug("previous-of-created", "those of the store, but a key that is created is its own previous value: no release"),
	option.Bug("share-value", "those of the store, with the value of the last put in all of them: no release"))

// Answer is what a request is answered, given what the store says, which may be an error. That belongs to the store: a
// copy is changed.
func (a Answers) Answer(env *sim.Env, request, right sim.Payload) sim.Payload {
	if a == rightAnswers {
		return right
	}
	switch r := right.(type) {
	case *wire.RangeResponse:
		wrong := *r
		asked, isRange := request.(*wire.RangeRequest)
		switch {
		case a == countOfSelection && !r.More && len(r.Kvs) > 0 && r.Count != int64(len(r.Kvs)):
			altered.Say(env, "counts the keys that it sends, and not those of the range", r.Revision, r.Kvs[0].Key)
			wrong.Count = int64(len(r.Kvs))
			return &wrong
		case a == requestedRevision && isRange && asked.Revision > 0 && asked.Revision != r.Revision:
			altered.Say(env, "answers with the revision that is asked for, and not with its own", r.Revision, asked.Key)
			wrong.Revision = asked.Revision
			return &wrong
		}
	case *wire.DeleteRangeResponse:
		if a == deletesCountOne && r.Deleted > 1 {
			altered.Say(env, "answers that one key is deleted, and more were", r.Revision, "")
			wrong := *r
			wrong.Deleted = 1
			return &wrong
		}
	case *wire.PutResponse:
		if a == newValueAsPrevious && r.PrevKv != nil {
			put := request.(*wire.PutRequest)
			altered.Say(env, "answers the new value of "+put.Key+" as the previous one", r.Revision, put.Key)
			wrong, prev := *r, *r.PrevKv
			prev.Value = put.Value
			wrong.PrevKv = &prev
			return &wrong
		}
	}
	return right
}

// Send is which events a response has, given those of the store.
func (s Events) Send(env *sim.Env, right []wire.Event) []wire.Event {
	if s == rightEvents || len(right) == 0 {
		return right
	}
	last := right[len(right)-1]
	if s == shareValue {
		if len(right) < 2 || last.Type != wire.Put {
			return right
		}
		altered.Say(env, "sends all events of a response with the value of the last one, "+last.Kv.Value, last.Kv.ModRevision, last.Kv.Key)
	}
	wrong := slices.Clone(right)
	for i := range wrong {
		e := &wrong[i]
		switch {
		case s == shareValue && e.Type == wire.Put:
			kv := *e.Kv
			kv.Value = last.Kv.Value
			e.Kv = &kv
		case s == previousOfCreated && e.Type == wire.Put && e.Kv.CreateRevision == e.Kv.ModRevision:
			e.PrevKv = e.Kv
			altered.Say(env, "sends the creation of "+e.Kv.Key+" at revision "+strconv.FormatInt(e.Kv.ModRevision, 10)+" with a previous value", e.Kv.ModRevision, e.Kv.Key)
		case s == deletedWithoutValue && e.Type == wire.Delete && e.PrevKv != nil:
			prev := *e.PrevKv
			prev.Value = ""
			e.PrevKv = &prev
			altered.Say(env, "sends the deletion of "+e.Kv.Key+" without its last value", e.Kv.ModRevision, e.Kv.Key)
		}
	}
	return wrong
}
