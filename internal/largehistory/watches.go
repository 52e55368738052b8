package largehistory

import (
	"github.com/watchbed/watchbed/model"
)

// resumed and marked are how many revisions a stream lasts, and how far its bookmarks are apart.
const resumed, marked = 5_000, 1_000

// watchLog is what one client is sent, on one stream after another.
type watchLog struct {
	watcher model.Watcher
	request model.WatchRequest
}

// newWatchLogs are those of a client that watches everything, and of one that watches half of
// the namespaces and wants to know what was there before.
func newWatchLogs() []*watchLog {
	const all = "/registry/pods/"
	return []*watchLog{
		{watcher: model.Watcher{Client: "watcher-0"}, request: model.WatchRequest{Key: all, End: model.PrefixEnd(all), ProgressNotify: true}},
		{watcher: model.Watcher{Client: "watcher-1"}, request: model.WatchRequest{Key: all, End: namespace(namespaces / 2), PrevKV: true, ProgressNotify: true}},
	}
}

// changed sends the change of a key, if it is asked for.
func (l *watchLog) changed(rev int64, key string, was, is *model.Item) {
	streams := &l.watcher.Streams
	if len(*streams) == 0 || rev%resumed == 0 {
		s := model.WatchStream{Request: l.request, Responses: []model.WatchResponse{{Created: true, Revision: rev - 1}}}
		s.Request.StartRevision = rev
		*streams = append(*streams, s)
	}
	s := &(*streams)[len(*streams)-1]
	if model.InRange(key, l.request.Key, l.request.End) {
		e := model.WatchEvent{Item: is, Revision: rev}
		if is == nil {
			e.Type, e.Item = model.DeleteEvent, &model.Item{Key: key, ModRevision: rev}
		}
		if l.request.PrevKV {
			e.PrevItem = was
		}
		s.Responses = append(s.Responses, model.WatchResponse{Revision: rev, Events: []model.WatchEvent{e}})
	}
	if rev%marked == 0 {
		s.Responses = append(s.Responses, model.WatchResponse{Revision: rev, Progress: true})
	}
}
