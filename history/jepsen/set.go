package jepsen

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// sets are sets that elements are added to.
type sets struct{}

func (sets) add(a *history.Assembly, o *op) error {
	switch o.f {
	case "add":
		return done(a, o, &model.Request{Kind: model.Put, Key: "set/" + o.asked.String()}, func() (*model.Result, error) {
			return &model.Result{}, nil
		})
	case "read":
		return done(a, o, elements("set"), func() (*model.Result, error) { return shown("set", &o.told), nil })
	}
	return unknownF(o.f)
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
