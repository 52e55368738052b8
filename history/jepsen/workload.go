package jepsen

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// workload says what an operation of a test asks for, and what it was answered if it is ok. Without a request there is
// nothing to judge.
type workload func(o *op) (*model.Request, *model.Result, error)

// workloadOf tells the workload of a test, and what is not judged of it.
func workloadOf(a *history.Assembly, ops []op) (workload, []string, error) {
	has := map[string]bool{}
	for i := range ops {
		has[ops[i].f] = true
	}
	switch {
	case len(ops) == 0:
		return nil, nil, history.InLine(1, errors.New("no process does anything"))
	case has["txn"]:
		lists := slices.ContainsFunc(ops, func(o op) bool {
			return slices.ContainsFunc(o.asked.items, func(step value) bool { return len(step.items) == 3 && step.items[0].word == "append" })
		})
		w := func(o *op) (*model.Request, *model.Result, error) { return transaction(o, lists) }
		if lists {
			return w, []string{"each element that is appended is a key of its list: the order of elements within a list is not judged"}, nil
		}
		return w, nil, nil
	case has["add"]:
		return sets, nil, nil
	case has["watch"], has["final-watch"]:
		seen := map[string]int64{}
		return func(o *op) (*model.Request, *model.Result, error) { return watch(a, seen, o) }, nil, nil
	case has["read"], has["write"], has["cas"]:
		return registers(ops)
	}
	return nil, nil, history.InLine(ops[0].line, unknownF(ops[0].f))
}

func unknownF(f string) error {
	return fmt.Errorf("unknown :f %q: the workloads register, set, append, wr and watch are known", shorten(f))
}

// add adds an operation as it ended.
func (o *op) add(a *history.Assembly, r *model.Request, res *model.Result) {
	out := model.Operation{Call: o.called, Return: o.ended, Request: r, Result: res}
	switch o.how {
	case "ok":
	case "fail":
		out.Outcome, out.Result = model.Failed, &model.Result{Err: model.Unavailable}
	default:
		if !r.IsWrite() || r.Kind == model.Txn && !slices.ContainsFunc(r.Success, func(step model.Request) bool { return step.IsWrite() }) {
			// It says nothing.
			return
		}
		out.Outcome, out.Result, out.Return = model.Unknown, nil, math.MaxInt64
	}
	a.Add("process "+o.process, out, o.line)
}

// sets are those that elements are added to.
func sets(o *op) (*model.Request, *model.Result, error) {
	switch o.f {
	case "add":
		return &model.Request{Kind: model.Put, Key: "set/" + o.asked.String()}, &model.Result{}, nil
	case "read":
		return elements("set"), shown("set", &o.told), nil
	}
	return nil, nil, unknownF(o.f)
}

// elements asks for all that was added under a name.
func elements(name string) *model.Request {
	return &model.Request{Kind: model.List, Key: name + "/", End: model.PrefixEnd(name + "/")}
}

// shown are the elements that were read.
func shown(name string, v *value) *model.Result {
	res := &model.Result{Count: int64(len(v.items))}
	for i := range v.items {
		res.Items = append(res.Items, &model.Item{Key: name + "/" + v.items[i].String()})
	}
	slices.SortFunc(res.Items, func(a, b *model.Item) int { return cmp.Compare(a.Key, b.Key) })
	return res
}

// one is what was read of a key: nothing, or an item with a value.
func one(key string, v *value) *model.Result {
	if v.isNil() {
		return &model.Result{}
	}
	return &model.Result{Items: []*model.Item{{Key: key, Value: v.String()}}, Count: 1}
}

// transaction reads and writes keys (wr), or reads lists and appends to them (append).
func transaction(o *op, lists bool) (*model.Request, *model.Result, error) {
	if o.f != "txn" {
		return nil, nil, unknownF(o.f)
	}
	r, res := &model.Request{Kind: model.Txn}, &model.Result{Succeeded: true}
	for i := range o.asked.items {
		step := &o.asked.items[i]
		if len(step.items) != 3 {
			return nil, nil, fmt.Errorf("a step of a transaction is such as [:r 1 nil], and not %s", shorten(step.String()))
		}
		key, written := step.items[1].String(), step.items[2].String()
		one := model.Request{Kind: model.Get, Key: key}
		switch f := step.items[0].word; {
		case f == "r" && lists:
			one = *elements(key)
		case f == "r":
		case f == "append":
			one = model.Request{Kind: model.Put, Key: key + "/" + written}
		case f == "w":
			one = model.Request{Kind: model.Put, Key: key, Value: written}
		default:
			return nil, nil, fmt.Errorf("unknown step of a transaction :%s: want :r, :w or :append", shorten(f))
		}
		r.Success = append(r.Success, one)
	}
	if o.how != "ok" {
		return r, nil, nil
	}
	if len(o.told.items) != len(o.asked.items) {
		return nil, nil, fmt.Errorf("the transaction ends with %d steps, and began with %d", len(o.told.items), len(o.asked.items))
	}
	for i := range o.told.items {
		step, asked := &o.told.items[i], &o.asked.items[i]
		if len(step.items) != 3 || step.items[0].word != asked.items[0].word || step.items[1].String() != asked.items[1].String() {
			return nil, nil, fmt.Errorf("step %d of the transaction ends as %s, and began as %s", i+1, shorten(step.String()), shorten(asked.String()))
		}
		answer := &model.Result{}
		switch key, read := step.items[1].String(), &step.items[2]; {
		case step.items[0].word != "r":
		case lists:
			answer = shown(key, read)
		default:
			answer = one(key, read)
		}
		res.Results = append(res.Results, *answer)
	}
	return r, res, nil
}

// register is what a value says: whose it is, in which version, and what it is. A log has
// the latter only.
type register struct {
	key     string
	version int64
	value   value
}

func registerOf(v *value) (register, error) {
	if v.kind != vector || len(v.items) != 2 || v.items[1].kind != vector || len(v.items[1].items) != 2 {
		return register{key: "register", value: *v}, nil
	}
	version, err := number(&v.items[1].items[0])
	if err != nil {
		err = fmt.Errorf("the version %w", err)
	}
	return register{v.items[0].String(), version, v.items[1].items[1]}, err
}

// registers are read, written, and compared and set. If there is one whose versions are known, it has version 1 at
// revision 2, and so on: the store is its own.
func registers(ops []op) (workload, []string, error) {
	keys, versions := map[string]bool{}, false
	for i := range ops {
		o := &ops[i]
		if asked, err := registerOf(&o.asked); err == nil {
			keys[asked.key] = true
		}
		if told, err := registerOf(&o.told); err == nil && o.how == "ok" {
			versions = versions || told.version > 0
		}
	}
	alone := versions && len(keys) == 1
	w := func(o *op) (*model.Request, *model.Result, error) { return registerOperation(o, alone) }
	switch {
	case alone:
		return w, []string{"one register: its version 1 is taken as revision 2, and so on: its store was its own, and was empty"}, nil
	case versions:
		return w, []string{"several registers: their versions are not judged, their values are"}, nil
	}
	return w, nil, nil
}

func registerOperation(o *op, alone bool) (*model.Request, *model.Result, error) {
	asked, err := registerOf(&o.asked)
	var told register
	if err == nil && o.how == "ok" {
		told, err = registerOf(&o.told)
	}
	if err != nil {
		return nil, nil, err
	}
	res := &model.Result{}
	if alone && told.version > 0 {
		res.Revision = told.version + 1
	}
	switch o.f {
	case "read":
		// A log has the value of a read in its end only, and the key of none.
		shown := one(told.key, &told.value)
		for _, it := range shown.Items {
			if alone {
				it.ModRevision, it.Version = res.Revision, told.version
			}
		}
		return &model.Request{Kind: model.Get, Key: asked.key}, shown, nil
	case "write":
		return &model.Request{Kind: model.Put, Key: asked.key, Value: asked.value.String()}, res, nil
	case "cas":
		pair := &asked.value
		if pair.kind != vector || len(pair.items) != 2 {
			return nil, nil, fmt.Errorf("the value of a cas is the old and the new value, such as [1 2], and not %s", shorten(pair.String()))
		}
		r := &model.Request{
			Kind:    model.Txn,
			Compare: []model.Compare{{Key: asked.key, Target: model.CompareValue, Value: pair.items[0].String()}},
			Success: []model.Request{{Kind: model.Put, Key: asked.key, Value: pair.items[1].String()}},
		}
		if o.how == "fail" && o.failed.word == "did-not-succeed" {
			// Its comparison failed. :fail alone says that it did not happen, for whatever reason.
			o.how = "ok"
			return r, res, nil
		}
		res.Succeeded, res.Results = true, []model.Result{{}}
		return r, res, nil
	}
	return nil, nil, unknownF(o.f)
}

// watched is the one key that is written.
const watched = "w"

// watch takes what a watch was sent; seen is up to where each process has watched. A process watches on from where it
// was, but the last watch of all keeps the events of its last try only, of which the start is not known.
func watch(a *history.Assembly, seen map[string]int64, o *op) (*model.Request, *model.Result, error) {
	switch {
	case o.f == "write":
		return &model.Request{Kind: model.Put, Key: watched, Value: o.asked.String()}, &model.Result{}, nil
	case o.f != "watch" && o.f != "final-watch":
		return nil, nil, unknownF(o.f)
	case o.how != "ok":
		// What it was sent is not told.
		return nil, nil, nil
	}
	s := model.WatchStream{Request: model.WatchRequest{Key: watched}}
	if o.f == "watch" {
		s.Request.StartRevision = seen[o.process] + 1
	}
	responses := o.told.get("events")
	if len(responses.items) == 0 && len(o.told.get("log").items) > 0 {
		return nil, nil, errors.New("a watch has a :log and no :events: the revisions of events are needed")
	}
	for i := range responses.items {
		var r model.WatchResponse
		events := responses.items[i].get("events")
		for k := range events.items {
			e, err := eventOf(&events.items[k])
			if err != nil {
				return nil, nil, err
			}
			r.Events = append(r.Events, e)
			r.Revision = max(r.Revision, e.Revision)
		}
		s.Responses = append(s.Responses, r)
	}
	revision, err := number(o.told.get("revision"))
	if err != nil {
		return nil, nil, fmt.Errorf("the :revision of a watch: %w", err)
	}
	seen[o.process] = revision
	return nil, nil, a.AddWatch("process "+o.process, s)
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
	e.Item = &model.Item{Key: kv.items[0].String(), Value: kv.items[1].get("value").String()}
	for _, of := range [...]struct {
		name string
		into *int64
	}{{"mod-revision", &e.Item.ModRevision}, {"create-revision", &e.Item.CreateRevision}, {"version", &e.Item.Version}} {
		var err error
		if *of.into, err = number(kv.items[1].get(of.name)); err != nil {
			return e, fmt.Errorf("the :%s of an event: %w", of.name, err)
		}
	}
	e.Revision = e.Item.ModRevision
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
