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

// Paginator says what becomes of a consistent LIST with a limit.
type Paginator struct {
	// Delegates: it is etcd's because of its limit.
	Delegates bool
	// Answer answers a list with the objects of a state under a prefix, at most
	// limit of them unless that is 0.
	Answer func(env *sim.Env, r *Read, view store.View, prefix string, limit int64)
}

// Paginations is the seam of what becomes of a consistent LIST with a limit.
var Paginations = option.NewSeam[Pagination, Paginator]("pagination", "what becomes of a consistent LIST with a limit").
	Shipped("first-page", "the cache answers the first page; etcd or a snapshot serves the others (KEP-2340)", Paginator{Answer: answerPage})

// PaginateFirst is the shipped value: the token lets etcd, or a snapshot, serve the pages after the first.
const PaginateFirst Pagination = 0

// The other values of pagination.
var (
	PaginateInEtcd   = Paginations.Register("etcd", "etcd answers all pages (the draft of 2019, for alpha)", Paginator{Delegates: true, Answer: answerPage})
	PaginateIfItFits = Paginations.Register("fits", "the cache answers if there is one page only, else etcd", Paginator{Answer: answerIfItFits})
	PaginateKept     = Paginations.Register("kept", "the cache answers, and keeps the rest for 60 s under the token (the draft of 2019)", Paginator{Answer: answerAndKeep})
	PaginateIgnored  = Paginations.Register("ignored", "the cache answers everything in one page (the draft of 2019, Rejected Option)", Paginator{Answer: answerWhole})
)

func answerPage(env *sim.Env, r *Read, view store.View, prefix string, limit int64) {
	page := r.Page(env, view, prefix, limit)
	r.Answer(env, &page)
}

// answerIfItFits puts the client's question to etcd if there is more than one page.
func answerIfItFits(env *sim.Env, r *Read, view store.View, prefix string, limit int64) {
	page := r.Page(env, view, prefix, limit)
	if page.More && r.consistent {
		env.Cover(listDoesNotFit)
		r.AskEtcd(env, wire.FromEtcd)
		return
	}
	r.Answer(env, &page)
}

func answerWhole(env *sim.Env, r *Read, view store.View, prefix string, limit int64) {
	if limit > 0 {
		env.Cover(limitIgnored)
	}
	answerPage(env, r, view, prefix, 0)
}

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
		items = r.d.responses.keys(items)
	}
	r.finish(env, r.d.responses.list(wire.ListResponse{
		ResourceVersion: p.ResourceVersion, Items: items, Continue: p.Token(), RemainingItemCount: p.Remaining, Origin: wire.FromCache,
	}))
}
