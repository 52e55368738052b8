package jepsen

import (
	"fmt"
	"strconv"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// registers are read, written, and compared and set.
type registers struct {
	// one: there is one register, whose versions are known. It has version 1 at revision 2
	// then, and so on: the store is its own.
	one bool
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
	out := register{key: v.items[0].String(), value: v.items[1].items[1]}
	if version := &v.items[1].items[0]; !version.isNil() {
		n, err := strconv.ParseInt(version.word, 10, 64)
		if err != nil || n < 0 {
			return out, fmt.Errorf("the version %s is no number from 0 on", shorten(version.String()))
		}
		out.version = n
	}
	return out, nil
}

// find looks for versions and reports whether they are of several registers.
func (r *registers) find(ops []op) (several bool) {
	keys, versions := map[string]bool{}, false
	for i := range ops {
		o := &ops[i]
		asked, err := registerOf(&o.asked)
		if err == nil {
			keys[asked.key] = true
		}
		if told, err := registerOf(&o.told); err == nil && o.how == "ok" {
			versions = versions || told.version > 0
		}
	}
	r.one = versions && len(keys) == 1
	return versions && len(keys) > 1
}

// revision is that of a version.
func (r *registers) revision(version int64) int64 {
	if !r.one || version == 0 {
		return 0
	}
	return version + 1
}

func (r *registers) add(a *history.Assembly, o *op) error {
	asked, err := registerOf(&o.asked)
	if err != nil {
		return err
	}
	written := func() (*model.Result, error) {
		told, err := registerOf(&o.told)
		return &model.Result{Revision: r.revision(told.version)}, err
	}
	switch o.f {
	case "read":
		// A log has the value of a read in its end only, and the key of none.
		return done(a, o, &model.Request{Kind: model.Get, Key: asked.key}, func() (*model.Result, error) { return r.read(o) })
	case "write":
		return done(a, o, &model.Request{Kind: model.Put, Key: asked.key, Value: asked.value.String()}, written)
	case "cas":
		pair := &asked.value
		if pair.kind != vector || len(pair.items) != 2 {
			return fmt.Errorf("the value of a cas is the old and the new value, such as [1 2], and not %s", shorten(pair.String()))
		}
		request := &model.Request{
			Kind:    model.Txn,
			Compare: []model.Compare{{Key: asked.key, Target: model.CompareValue, Value: pair.items[0].String()}},
			Success: []model.Request{{Kind: model.Put, Key: asked.key, Value: pair.items[1].String()}},
		}
		if o.compared() {
			o.how = "ok"
			return done(a, o, request, func() (*model.Result, error) { return &model.Result{}, nil })
		}
		return done(a, o, request, func() (*model.Result, error) {
			res, err := written()
			res.Succeeded, res.Results = true, []model.Result{{}}
			return res, err
		})
	}
	return unknownF(o.f)
}

// compared reports whether a cas failed because its comparison did. :fail alone says that it did not
// happen, for whatever reason.
func (o *op) compared() bool { return o.how == "fail" && o.failed.word == "did-not-succeed" }

func (r *registers) read(o *op) (*model.Result, error) {
	told, err := registerOf(&o.told)
	if err != nil || told.value.isNil() {
		return &model.Result{}, err
	}
	it := &model.Item{Key: told.key, Value: told.value.String()}
	if r.one {
		it.ModRevision, it.Version = r.revision(told.version), told.version
	}
	return &model.Result{Items: []*model.Item{it}, Count: 1}, nil
}
