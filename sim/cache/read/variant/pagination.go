package variant

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// The other values of pagination, but for kept pages.
var (
	PaginateInEtcd   = read.Paginations.Register("etcd", "etcd answers all pages (the draft of 2019, for alpha)", func() read.Paginator { return inEtcd{} })
	PaginateIfItFits = read.Paginations.Register("fits", "the cache answers if there is one page only, else etcd", func() read.Paginator { return ifItFits{} })
	PaginateKept     = read.Paginations.Register("kept", "the cache answers, and keeps the rest for 60 s under the token (the draft of 2019)", func() read.Paginator { return &keptPages{} })
	PaginateIgnored  = read.Paginations.Register("ignored", "the cache answers everything in one page (the draft of 2019, Rejected Option)", func() read.Paginator { return ignored{} })
)

// inEtcd sends a list with a limit to etcd, like all pages.
type inEtcd struct{ read.FirstPage }

// Delegates implements read.Paginator.
func (inEtcd) Delegates(list *wire.ListRequest) bool { return list.Limit > 0 }

// Clone implements read.Paginator.
func (inEtcd) Clone() read.Paginator { return inEtcd{} }

// ifItFits answers from the cache if there is only one page, and sends the client's
// question to etcd otherwise.
type ifItFits struct{ read.FirstPage }

// Answer implements read.Paginator.
func (ifItFits) Answer(env *sim.Env, r *read.Read, view store.View, prefix string, limit int64) {
	page := r.Page(env, view, prefix, limit)
	if page.More && r.Consistent() {
		env.Cover(listDoesNotFit)
		r.AskEtcd(env, wire.FromEtcd)
		return
	}
	r.Answer(env, &page)
}

// Clone implements read.Paginator.
func (ifItFits) Clone() read.Paginator { return ifItFits{} }

// ignored answers in one page whatever the limit.
type ignored struct{ read.FirstPage }

// Answer implements read.Paginator.
func (i ignored) Answer(env *sim.Env, r *read.Read, view store.View, prefix string, limit int64) {
	if limit > 0 {
		env.Cover(limitIgnored)
	}
	i.FirstPage.Answer(env, r, view, prefix, 0)
}

// Clone implements read.Paginator.
func (ignored) Clone() read.Paginator { return ignored{} }

var (
	listDoesNotFit = sim.NewSituation("cache: list that does not fit one page sent to etcd")
	limitIgnored   = sim.NewSituation("cache: list with a limit answered whole")
)
