// Package recordings has histories for tests of what reads and judges them. It must never import a judge.
package recordings

import (
	"bytes"
	"cmp"
	"embed"
	"iter"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// The histories were recorded from real etcd servers of the versions in their names, each with what became of its
// writes; the module conformance records them anew.
//
//go:embed testdata/etcd
var files embed.FS

// Etcd are histories of real etcd servers, by the names of their files.
func Etcd() map[string]*model.History {
	entries, err := files.ReadDir("testdata/etcd")
	must(err)
	all := map[string]*model.History{}
	for _, e := range entries {
		text, err := files.ReadFile("testdata/etcd/" + e.Name())
		must(err)
		all[e.Name()] = Parse(string(text))
	}
	return all
}

// Parse reads a history from its lines.
func Parse(lines ...string) *model.History {
	h, err := history.Read(strings.NewReader(strings.Join(lines, "\n")))
	must(err)
	return h
}

// Show writes a history as Parse reads it, or says why it cannot be read.
func Show(h *model.History) string {
	var out bytes.Buffer
	if err := history.Write(&out, h); err != nil {
		return err.Error()
	}
	return out.String()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Tampering is one way to make the answer of a read wrong, so that no order of the operations explains it. Judges are
// tested with it: a judge that lets one of them pass does not look.
type Tampering struct {
	Name string
	// Breaks are the properties that are violated for certain. A list says at
	// which revision it read, so that one wrong item in it is wrong in every
	// order; where a judge may not look at that revision, or may not look at the
	// time, most wrong answers could have been right at another point.
	Breaks []string
	// of are the answers that it has a hold on, most likely. change makes one of them wrong, and reports whether it
	// could.
	of     func(*model.Operation) bool
	change func(*answer) bool
}

// answer is a copy of that of an operation.
type answer struct {
	*model.Result
	history *model.History
	to      *model.Operation
}

const (
	linearizable = "linearizable"
	data         = "linearizable-data"
	sequential   = "sequential"
)

// Tamperings expect a history in which every write is inside the range of every list without a limit.
func Tamperings() []Tampering {
	ofLists := []string{linearizable, sequential}
	return []Tampering{
		// The list is consistent in itself: only other operations show that it is wrong.
		{"an item is dropped from a list", ofLists, listsItems, func(a *answer) bool {
			a.Items, a.Count = a.Items[1:], a.Count-1
			return true
		}},
		{"an item of a list is reverted to an older one", ofLists, listsValues, revertItem},
		{"a list shows an item that was deleted", ofLists, isWhole, revive},
		{"an item has a value that was never written", append(ofLists, data), showsValues, func(a *answer) bool {
			ghost := *a.Items[0]
			ghost.Value = "ghost"
			a.Items[0] = &ghost
			return true
		}},
		// Below the last change that it saw nothing else is certain: that may have
		// been a change of a key outside its limit.
		{"the revision of a list is lowered below its newest item", ofLists, listsItems, func(a *answer) bool {
			newest := slices.MaxFunc(a.Items, func(x, y *model.Item) int { return cmp.Compare(x.ModRevision, y.ModRevision) })
			a.Revision = newest.ModRevision - 1
			return true
		}},
		// It is certain where every revision changes an item of the list, or was never made.
		{"the revision of a list is raised", ofLists, isWhole, func(a *answer) bool {
			a.Revision++
			return true
		}},
		{"the count of a list is raised", ofLists, isList, func(a *answer) bool {
			a.Count++
			return true
		}},
		{"a get shows what was overwritten before", []string{linearizable, data}, isGet, past},
		{"a get shows what was not written yet", []string{linearizable, data}, isGet, future},
	}
}

// Apply returns the history with the answer of one operation made wrong, nil if
// this way has no hold on it. The history itself stays as it is.
func (w *Tampering) Apply(h *model.History, operation int) *model.History {
	op := &h.Operations[operation]
	if op.Outcome != model.Done || op.Result.Err != model.OK || !w.of(op) {
		return nil
	}
	res := *op.Result
	res.Items = slices.Clone(res.Items)
	if !w.change(&answer{&res, h, op}) {
		return nil
	}
	wrong := *h
	wrong.Operations = slices.Clone(h.Operations)
	wrong.Operations[operation].Result = &res
	return &wrong
}

func isGet(op *model.Operation) bool  { return op.Request.Kind == model.Get }
func isList(op *model.Operation) bool { return op.Request.Kind == model.List }

func isWhole(op *model.Operation) bool {
	return isList(op) && op.Request.Limit == 0 && !op.Request.CountOnly
}

func listsItems(op *model.Operation) bool {
	return isList(op) && !op.Request.CountOnly && len(op.Result.Items) > 0
}

func listsValues(op *model.Operation) bool { return isList(op) && showsValues(op) }

func showsValues(op *model.Operation) bool {
	return (isGet(op) || isList(op)) && !op.Request.CountOnly && !op.Request.KeysOnly && len(op.Result.Items) > 0
}

func revertItem(a *answer) bool {
	for i, it := range a.Items {
		for old := range shown(a.history) {
			if old.Key == it.Key && old.ModRevision < it.ModRevision {
				a.Items[i] = old
				return true
			}
		}
	}
	return false
}

func revive(a *answer) bool {
	if a.to.Request.KeysOnly {
		return false
	}
	for it := range shown(a.history) {
		at, present := slices.BinarySearchFunc(a.Items, it, func(x, y *model.Item) int { return cmp.Compare(x.Key, y.Key) })
		if !present && it.ModRevision < a.Revision && model.InRange(it.Key, a.to.Request.Key, a.to.Request.End) {
			a.Items = slices.Insert(a.Items, at, it)
			a.Count++
			return true
		}
	}
	return false
}

// past shows an item that a later write of its key had replaced, and had been
// answered to have, before the get was called.
func past(a *answer) bool {
	for newer := range shown(a.history) {
		if w := writer(a.history, newer); newer.Key != a.to.Request.Key || w == nil || w.Return >= a.to.Call {
			continue
		}
		for old := range shown(a.history) {
			if old.Key == newer.Key && old.ModRevision < newer.ModRevision {
				*a.Result = model.Result{Items: []*model.Item{old}, Count: 1}
				return true
			}
		}
	}
	return false
}

// future shows an item whose write was not called when the get had returned.
func future(a *answer) bool {
	for it := range shown(a.history) {
		if w := writer(a.history, it); it.Key == a.to.Request.Key && w != nil && w.Call > a.to.Return {
			*a.Result = model.Result{Items: []*model.Item{it}, Count: 1}
			return true
		}
	}
	return false
}

// shown are the items with their values that reads were answered, in the order of the reads' calls.
func shown(h *model.History) iter.Seq[*model.Item] {
	return func(yield func(*model.Item) bool) {
		for i := range h.Operations {
			op := &h.Operations[i]
			if op.Outcome != model.Done || !showsValues(op) {
				continue
			}
			for _, it := range op.Result.Items {
				if !yield(it) {
					return
				}
			}
		}
	}
}

// writer is the operation that made an item, nil if that operation was not answered.
func writer(h *model.History, it *model.Item) *model.Operation {
	puts := func(r model.Request) bool { return r.Kind == model.Put && r.Key == it.Key && r.Value == it.Value }
	i := slices.IndexFunc(h.Operations, func(op model.Operation) bool {
		return op.Outcome == model.Done && op.Result.Revision == it.ModRevision &&
			(puts(*op.Request) || op.Result.Succeeded && slices.ContainsFunc(op.Request.Success, puts))
	})
	if i < 0 {
		return nil
	}
	return &h.Operations[i]
}
