package caches

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// PageSizes counts the objects of each LIST with a limit. A page that is not the last
// has as many as the limit says, so that a list takes no more requests than it must. It
// says how many objects come after it if the LIST has no selector, and no other page
// does (storage.PrepareContinueToken); that the number is right, linearizable judges. A
// cache returns everything at resourceVersion "0" (storage/cacher, computeListLimit),
// and in designs without limits. It is exercised by answers to LISTs with a limit.
var PageSizes = testbed.RegisterProperty(&testbed.Property{
	Name: "page-sizes", Kind: testbed.Safety,
	Promise: "A page has as many objects as the limit of its LIST says, and fewer only if it is the last; where the limit does not count there is one page. " +
		"A page without a selector says that objects come after it.",
	Violated: "page of the wrong size",
	Monitor:  testbed.Monitor{Runs: testbed.Untimed, State: serversAsked},
	New:      evidence.EachOperation(pageSizes),
})

func pageSizes(_ *evidence.Recorder, o *testbed.Operation, at *evidence.Call, all *testbed.Tally) {
	list, ok := o.Message.(*wire.ListRequest)
	if !ok || o.Outcome != model.Done || list.Limit <= 0 || at.Server == nil {
		return
	}
	all.Exercised++
	if wrong := wrongSize(list, o.Result, o.Span.Origin, &at.Server.Cache.Reads); wrong != "" {
		o.Violate(all, "", "%s's %s %s", list.Label(), wrong)
	}
}

// wrongSize says what is wrong with the size of a page, nothing if it is right.
func wrongSize(list *wire.ListRequest, page *model.Result, from wire.Origin, o *read.Options) string {
	n := int64(len(page.Items))
	switch matters := from != wire.FromCache || counts(list, o); {
	case !matters && page.More:
		return fmt.Sprintf("was cut short after %d objects, and its limit does not count", n)
	case matters && n > list.Limit:
		return fmt.Sprintf("was answered with %d objects", n)
	case n < list.Limit && page.More:
		return fmt.Sprintf("was cut short after %d objects", n)
	}
	switch remaining := page.Count - n; {
	case remaining != 0 && !page.More:
		return fmt.Sprintf("was answered with the last %d objects, and says that %d come after them", n, remaining)
	case remaining != 0 && !list.Selector.Empty():
		return fmt.Sprintf("says that %d objects come after the first %d, of which some may not be selected", remaining, n)
	case remaining <= 0 && page.More && list.Selector.Empty():
		return fmt.Sprintf("was cut short after %d objects, and says that %d come after them", n, remaining)
	}
	return ""
}

// counts reports whether a cache keeps to the limit of a LIST.
func counts(list *wire.ListRequest, o *read.Options) bool {
	switch {
	case o.Pagination == read.PaginateIgnored, list.Continue == "" && list.ResourceVersion == 0:
		return false
	case list.Continue == "" && list.ResourceVersion == wire.Unset:
		return NeedsProgress(o)
	}
	return true
}
