package caches

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
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

// RangeStreams looks at the requests that the client library of an API server sends to etcd, with a clock: an etcd that
// does not know RangeStream is asked for ranges for ten minutes, and then for a stream again, since it may have been
// upgraded (FeatureSupportChecker, rangeStreamRecheckInterval). The answer of etcd may take a second to arrive. A new
// process knows nothing of the old one's etcd: runs with restarts are not judged. It is exercised by each list of a
// prefix, without a limit, that is put to etcd.
var RangeStreams = testbed.RegisterProperty(&testbed.Property{
	Name: "range-streams", Kind: testbed.Liveness,
	Promise:  "A whole list is read from etcd by a RangeStream, unless etcd has said in the last ten minutes that it does not know the method, and by a Range in these ten minutes and by a library of before 3.7.",
	Violated: "list not read as it should be",
	Labels:   map[string]string{"soon": "RangeStream tried again too soon", "never": "RangeStream not tried again", "unknown": "RangeStream of an old library"},
	New:      testbed.Each(testbed.ClientLibrary, rangeStreams, testbed.EtcdMember),
})

// streamRecheck is upstream's rangeStreamRecheckInterval, and streamGrace how long an answer of etcd may be under way.
const (
	streamRecheck = 10 * time.Minute
	streamGrace   = time.Second
)

// streamed is what was seen of a client library.
type streamed struct {
	// seen are the requests that are under way, and the streams that were not refused.
	seen, streams []sim.Conn
	// refused is when etcd last said that it does not know the method, if it ever has.
	refused sim.Time
	ever    bool
}

func rangeStreams(s *testbed.System, w *sim.World, place int, at *streamed, all *testbed.Tally) {
	f := s.Params().Faults
	options := s.Caches()[place*len(s.Caches())/len(s.Topology().APIServers)].Server()
	if w.Mode() != sim.Timed || f.Restarts+f.Replacements+f.Recreations > 0 {
		return
	}
	library := s.Topology().APIServers[place].Client
	for _, m := range s.Members() {
		w.UnderWay(m.ID, func(first *sim.Message, _ int) {
			if err, ok := first.Payload.(*wire.Error); ok && err.Code == wire.Unimplemented && first.To == library && slices.Contains(at.streams, first.Conn) {
				at.refused, at.ever = w.Now(), true
				at.streams = slices.DeleteFunc(at.streams, func(c sim.Conn) bool { return c == first.Conn })
			}
		})
	}
	var underWay []sim.Conn
	w.UnderWay(library, func(first *sim.Message, _ int) {
		stream, streams := first.Payload.(*wire.RangeStreamRequest)
		r, _ := first.Payload.(*wire.RangeRequest)
		if streams {
			r = stream.Range
		}
		if r == nil || r.RangeEnd == "" || r.Limit > 0 || r.KeysOnly || r.CountOnly {
			return
		}
		if underWay = append(underWay, first.Conn); slices.Contains(at.seen, first.Conn) {
			return
		}
		all.Exercised++
		name, since := w.NodeName(library), w.Now().Sub(at.refused)
		switch {
		case !options.Client.Watcher.StreamsRanges:
			if streams {
				all.Violatef("unknown", testbed.Concern{Node: name}, "%s asks for a RangeStream at %v, and its client library does not know the method", name, w.Now().Sub(0))
			}
		case streams && at.ever && since > streamGrace && since < streamRecheck:
			all.Violatef("soon", testbed.Concern{Node: name}, "%s asks for a RangeStream at %v, and etcd did not know the method %v before", name, w.Now().Sub(0), since)
		case !streams && !at.ever:
			all.Violatef("never", testbed.Concern{Node: name}, "%s asks for a Range at %v, and etcd has refused no RangeStream", name, w.Now().Sub(0))
		case !streams && since > streamRecheck+streamGrace:
			all.Violatef("never", testbed.Concern{Node: name}, "%s asks for a Range at %v, and etcd last refused a RangeStream %v before", name, w.Now().Sub(0), since)
		}
		if streams {
			at.streams = append(at.streams, first.Conn)
		}
	})
	at.seen = underWay
}
