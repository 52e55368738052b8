package watches

import (
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// contract says what clients recorded in the words of etcd's contract, which are those
// of package model. That is part of each run of each watcher: what it says is valid until
// the next rewind, which hands its memory out again.
type contract struct {
	streams   []model.WatchStream
	responses arena.Arena[model.WatchResponse]
	items     arena.Arena[model.Item]
	events    arena.Arena[model.WatchEvent]
}

func (c *contract) rewind() {
	c.responses.Rewind()
	c.items.Rewind()
	c.events.Rewind()
}

// ofWatcher says what a watcher of a cache recorded. What it said of the client before
// is overwritten, as by each of these methods.
func (c *contract) ofWatcher(r *workload.Watcher) []model.WatchStream {
	prefix := r.Prefix()
	end := model.PrefixEnd(prefix)
	c.streams = c.streams[:0]
	for _, st := range r.Streams() {
		c.streams = append(c.streams, model.WatchStream{
			Listed:    st.Listed,
			Request:   model.WatchRequest{Key: prefix, End: end, StartRevision: st.From + 1, ProgressNotify: true, Values: r.Values()},
			Responses: c.fromCache(st.Events),
		})
	}
	return c.streams
}

// ofListWatcher says what a client recorded after the end of its initial events.
func (c *contract) ofListWatcher(r *workload.ListWatcher) []model.WatchStream {
	prefix := r.Prefix()
	end := model.PrefixEnd(prefix)
	c.streams = c.streams[:0]
	for i := range r.Streams() {
		st := &r.Streams()[i]
		after, events := st.Request.ResourceVersion, st.Events
		if st.IsList() {
			if st.End < 0 {
				continue
			}
			after, events = events[st.End].ResourceVersion, events[st.End+1:]
		}
		c.streams = append(c.streams, model.WatchStream{
			Listed:    st.IsList(),
			Request:   model.WatchRequest{Key: prefix, End: end, StartRevision: after + 1, ProgressNotify: true},
			Responses: c.fromCache(events),
		})
	}
	return c.streams
}

// ofDrawnWatch says what came on one watch of a cache, with any options; nothing of one
// that is not judged.
func (c *contract) ofDrawnWatch(st *workload.ListStream) []model.WatchStream {
	c.streams = c.streams[:0]
	if drawn, judged := drawnWatchOf(st); judged {
		c.streams = append(c.streams, model.WatchStream{Listed: drawn.listed, Request: drawn.request, Responses: c.fromCache(drawn.events)})
	}
	return c.streams
}

// ofEtcdWatch is the part of a raw stream that belongs to one of its watches.
func (c *contract) ofEtcdWatch(r *workload.EtcdWatch, watch workload.Watch) []model.WatchStream {
	c.streams = append(c.streams[:0], etcdStream(r, watch))
	return c.streams
}

// fromCache says what a cache sent.
func (c *contract) fromCache(sent []*wire.WatchEvent) []model.WatchResponse {
	responses := c.responses.Take(len(sent))
	for i, e := range sent {
		out := &responses[i]
		out.Revision = e.ResourceVersion
		switch e.Type {
		case wire.Bookmark:
			out.Progress = true
		case wire.Failed:
			out.Canceled = true
		default:
			item := c.items.New()
			*item = workload.Item(e.Item)
			out.Events = c.events.Take(1)
			out.Events[0] = model.WatchEvent{Item: item, Revision: e.ResourceVersion}
			if e.Type == wire.Deleted {
				out.Events[0].Type = model.DeleteEvent
			}
		}
	}
	return responses
}

// drawnWatch is one watch of a cache, with any options, after the end of its initial
// events, if it had any.
type drawnWatch struct {
	request model.WatchRequest
	listed  bool
	events  []*wire.WatchEvent
}

// drawnWatchOf reports whether the watch is judged. Initial events whose end no bookmark
// says are not: nothing tells them from changes.
func drawnWatchOf(st *workload.ListStream) (d drawnWatch, judged bool) {
	req := st.Request
	d.request = model.WatchRequest{Key: req.Prefix, ProgressNotify: req.AllowBookmarks, Values: workload.Values(req.Selector)}
	if !req.Single {
		d.request.Key = strings.TrimSuffix(req.Prefix, "/") + "/"
		d.request.End = model.PrefixEnd(d.request.Key)
	}
	d.events = st.Events
	switch {
	case req.SendInitialEvents == wire.SendInitialEventsTrue:
		if st.End < 0 {
			return d, false
		}
		d.listed, d.request.StartRevision = true, d.events[st.End].ResourceVersion+1
		d.events = d.events[st.End+1:]
	case req.ResourceVersion > 0:
		d.request.StartRevision = req.ResourceVersion + 1
	case req.SendInitialEvents == wire.SendInitialEventsUnset:
		return d, false
	}
	return d, true
}

// etcdStream is the part of a raw stream that belongs to one of its watches.
func etcdStream(r *workload.EtcdWatch, c workload.Watch) model.WatchStream {
	m := model.WatchStream{Request: model.WatchRequest{
		Key: c.Key, End: c.RangeEnd, StartRevision: c.StartRevision, PrevKV: c.PrevKv,
		NoPut: c.Filters&wire.NoPut != 0, NoDelete: c.Filters&wire.NoDelete != 0, ProgressNotify: c.ProgressNotify,
	}}
	for _, resp := range r.ResponsesTo(c) {
		out := model.WatchResponse{
			Revision: resp.Revision, Created: resp.Created, Fragment: resp.Fragment,
			Progress: resp.IsProgressNotify(), Canceled: resp.Canceled, CompactRevision: resp.CompactRevision,
		}
		for _, e := range resp.Events {
			it := workload.Item(e.Kv)
			ev := model.WatchEvent{Item: &it, Revision: e.Kv.ModRevision}
			if e.Type == wire.Delete {
				ev.Type = model.DeleteEvent
			}
			if e.PrevKv != nil {
				prev := workload.Item(e.PrevKv)
				ev.PrevItem = &prev
			}
			out.Events = append(out.Events, ev)
		}
		m.Responses = append(m.Responses, out)
	}
	return m
}
