package jepsen

import (
	"fmt"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// transactions read and write keys (wr), or read lists and append to them (append).
type transactions struct{ lists bool }

// find looks for appends, and reports whether there are any.
func (t *transactions) find(ops []op) bool {
	for i := range ops {
		for _, step := range ops[i].asked.items {
			t.lists = t.lists || len(step.items) == 3 && step.items[0].word == "append"
		}
	}
	return t.lists
}

func (t *transactions) add(a *history.Assembly, o *op) error {
	if o.f != "txn" {
		return unknownF(o.f)
	}
	r := &model.Request{Kind: model.Txn}
	for i := range o.asked.items {
		step := &o.asked.items[i]
		if len(step.items) != 3 {
			return fmt.Errorf("a step of a transaction is such as [:r 1 nil], and not %s", shorten(step.String()))
		}
		key, written := step.items[1].String(), step.items[2].String()
		switch step.items[0].word {
		case "r":
			if t.lists {
				r.Success = append(r.Success, *elements(key))
			} else {
				r.Success = append(r.Success, model.Request{Kind: model.Get, Key: key})
			}
		case "append":
			r.Success = append(r.Success, model.Request{Kind: model.Put, Key: key + "/" + written})
		case "w":
			r.Success = append(r.Success, model.Request{Kind: model.Put, Key: key, Value: written})
		default:
			return fmt.Errorf("unknown step of a transaction :%s: want :r, :w or :append", shorten(step.items[0].word))
		}
	}
	return done(a, o, r, func() (*model.Result, error) { return t.results(o) })
}

func (t *transactions) results(o *op) (*model.Result, error) {
	if len(o.told.items) != len(o.asked.items) {
		return nil, fmt.Errorf("the transaction ends with %d steps, and began with %d", len(o.told.items), len(o.asked.items))
	}
	res := &model.Result{Succeeded: true}
	for i := range o.told.items {
		step := &o.told.items[i]
		if len(step.items) != 3 || step.items[0].word != o.asked.items[i].items[0].word || step.items[1].String() != o.asked.items[i].items[1].String() {
			return nil, fmt.Errorf("step %d of the transaction ends as %s, and began as %s", i+1, shorten(step.String()), shorten(o.asked.items[i].String()))
		}
		key, read := step.items[1].String(), &step.items[2]
		switch {
		case step.items[0].word != "r":
			res.Results = append(res.Results, model.Result{})
		case t.lists:
			res.Results = append(res.Results, *shown(key, read))
		case read.isNil():
			res.Results = append(res.Results, model.Result{})
		default:
			res.Results = append(res.Results, model.Result{Items: []*model.Item{{Key: key, Value: read.String()}}, Count: 1})
		}
	}
	return res, nil
}
