package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Pagination is the value of the option pagination.
type Pagination uint8

// Paginator says what becomes of a consistent LIST with a limit. Other designs
// embed FirstPage and differ in a part.
type Paginator interface {
	Reset(*Limits)
	// Delegates: a consistent list is etcd's because of its limit.
	Delegates(list *wire.ListRequest) bool
	// Continue answers a list that has a continue token; it returns false if it
	// is to be answered like any other list at the token's revision.
	Continue(env *sim.Env, r *Read) bool
	// Answer answers a list with the objects of a state under a prefix, at most
	// limit of them unless that is 0.
	Answer(env *sim.Env, r *Read, view store.View, prefix string, limit int64)
	// Fire is the timer Numbers.Kept going off.
	Fire(env *sim.Env, d *Delegator)
	// Kept is how many rests of lists are kept.
	Kept() int
	Clone() Paginator
	Cells(visit sim.CellVisitor)
}

// Paginations is the seam of what becomes of a consistent LIST with a limit.
var Paginations = option.NewSeam[Pagination, func() Paginator]("pagination", "what becomes of a consistent LIST with a limit").
	Shipped("first-page", "the cache answers the first page; etcd or a snapshot serves the others (KEP-2340)",
		func() Paginator { return FirstPage{} })

// FirstPage answers the first page from the cache; the token lets etcd, or a
// snapshot, serve the others (KEP-2340, "Pagination").
type FirstPage struct{}

// Reset implements Paginator.
func (FirstPage) Reset(*Limits) {}

// Delegates implements Paginator.
func (FirstPage) Delegates(*wire.ListRequest) bool { return false }

// Continue implements Paginator.
func (FirstPage) Continue(*sim.Env, *Read) bool { return false }

// Answer implements Paginator.
func (FirstPage) Answer(env *sim.Env, r *Read, view store.View, prefix string, limit int64) {
	page := r.Page(env, view, prefix, limit)
	r.Answer(env, &page)
}

// Fire implements Paginator; there is no timer.
func (FirstPage) Fire(*sim.Env, *Delegator) {}

// Kept implements Paginator.
func (FirstPage) Kept() int { return 0 }

// Clone implements Paginator.
func (FirstPage) Clone() Paginator { return FirstPage{} }

// Cells implements Paginator.
func (FirstPage) Cells(sim.CellVisitor) {}

// The other values of pagination, but for kept pages.
var (
	PaginateInEtcd   = Paginations.Register("etcd", "etcd answers all pages (the draft of 2019, for alpha)", func() Paginator { return inEtcd{} })
	PaginateIfItFits = Paginations.Register("fits", "the cache answers if there is one page only, else etcd", func() Paginator { return ifItFits{} })
	PaginateKept     = Paginations.Register("kept", "the cache answers, and keeps the rest for 60 s under the token (the draft of 2019)", func() Paginator { return &keptPages{} })
	PaginateIgnored  = Paginations.Register("ignored", "the cache answers everything in one page (the draft of 2019, Rejected Option)", func() Paginator { return ignored{} })
)

// inEtcd sends a list with a limit to etcd, like all pages.
type inEtcd struct{ FirstPage }

// Delegates implements Paginator.
func (inEtcd) Delegates(list *wire.ListRequest) bool { return list.Limit > 0 }

// Clone implements Paginator.
func (inEtcd) Clone() Paginator { return inEtcd{} }

// ifItFits answers from the cache if there is only one page, and sends the client's
// question to etcd otherwise.
type ifItFits struct{ FirstPage }

// Answer implements Paginator.
func (ifItFits) Answer(env *sim.Env, r *Read, view store.View, prefix string, limit int64) {
	page := r.Page(env, view, prefix, limit)
	if page.More && r.consistent {
		env.Cover(listDoesNotFit)
		r.AskEtcd(env, wire.FromEtcd)
		return
	}
	r.Answer(env, &page)
}

// Clone implements Paginator.
func (ifItFits) Clone() Paginator { return ifItFits{} }

// ignored answers in one page whatever the limit.
type ignored struct{ FirstPage }

// Answer implements Paginator.
func (i ignored) Answer(env *sim.Env, r *Read, view store.View, prefix string, limit int64) {
	if limit > 0 {
		env.Cover(limitIgnored)
	}
	i.FirstPage.Answer(env, r, view, prefix, 0)
}

// Clone implements Paginator.
func (ignored) Clone() Paginator { return ignored{} }

var (
	listDoesNotFit = sim.NewSituation("cache: list that does not fit one page sent to etcd")
	limitIgnored   = sim.NewSituation("cache: list with a limit answered whole")
)

// Page is the answer to a LIST, or a part of it.
type Page struct {
	// ResourceVersion of the state that the objects are from, and the prefix that
	// they were listed under.
	ResourceVersion int64
	Prefix          string
	Items           []*wire.KeyValue
	// More: there are objects after these, which a selector need not select.
	More bool
	// Remaining is how many, 0 if the list has a selector.
	Remaining int64
	// Trailed: an object that was looked at and not selected comes after these.
	Trailed bool
}

// Token is where the list goes on, empty if there are no more objects.
func (p *Page) Token() string {
	if !p.More {
		return ""
	}
	return request.EncodeContinue(p.ResourceVersion, p.Prefix, p.Items[len(p.Items)-1].Key)
}

// Page collects the objects of a state that the list is about, at most limit of
// them unless that is 0.
func (r *Read) Page(env *sim.Env, view store.View, prefix string, limit int64) Page {
	page := r.collect(env, &view, prefix, r.start, limit)
	if page.More {
		env.Cover(ListTruncated)
	}
	return page
}

// Answer answers the client of a LIST from the cache, and ends the read.
func (r *Read) Answer(env *sim.Env, p *Page) {
	items := p.Items
	if r.list.KeysOnly {
		env.Cover(listKeysOnly)
		items = r.d.responses.Keys(items)
	}
	r.finish(env, r.d.responses.List(wire.ListResponse{
		ResourceVersion: p.ResourceVersion, Items: items, Continue: p.Token(), RemainingItemCount: p.Remaining, Origin: wire.FromCache,
	}))
}
