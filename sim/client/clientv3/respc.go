package clientv3

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// respc is what run does with a response.
func (s *Stream) respc(env *sim.Env, p *wire.WatchResponse) {
	s.looksAt(env, cellRun)
	if s.state == streamStuck {
		return
	}
	s.collect(env, p)
	switch {
	case p.Created:
		s.takeCreated(env, p)
		s.cur = nil
	case p.Canceled && p.CompactRevision == 0:
		s.takeCanceled(env, p)
		s.cur = nil
	case s.cur.Fragment:
		env.Cover(fragmentHeld)
	default:
		cur := s.cur
		s.cur = nil
		s.dispatch(env, cur)
	}
}

// collect puts a response behind the fragments that came before it.
func (s *Stream) collect(env *sim.Env, p *wire.WatchResponse) {
	s.writes(env, cellCur)
	switch {
	case s.cur == nil || p.Created || p.Canceled:
		s.cur = p
	case s.cur.WatchID == p.WatchID:
		s.reads(env, cellCur)
		// The first fragment may be shared with others: extend a copy.
		merged := *s.cur
		merged.Events = append(merged.Events[:len(merged.Events):len(merged.Events)], p.Events...)
		merged.Fragment = p.Fragment
		s.cur = &merged
		env.Cover(fragmentMerged)
	default:
		env.Cover(lostBetweenFragments)
	}
}

// takeCreated registers the first watch of the queue, and has the next one created.
func (s *Stream) takeCreated(env *sim.Env, p *wire.WatchResponse) {
	if len(s.resuming) > 0 {
		if w := s.resuming[0]; w != noWatch {
			s.takesItem(env, cellResuming, watchItem(w))
			s.addSubstream(env, p, w)
			s.resuming[0] = noWatch
		} else {
			env.Cover(createdAbandoned)
			s.abandoned = append(s.abandoned, p.WatchID)
		}
	}
	s.nextResume(env)
}

// addSubstream registers a watch under the id that the server gave it.
func (s *Stream) addSubstream(env *sim.Env, p *wire.WatchResponse, watch int32) {
	w := s.c.watches[watch]
	if p.WatchID == wire.InvalidWatchID || p.Canceled && p.CancelReason != "" {
		env.Cover(createRefused)
		s.writes(env, cellCloseErr)
		s.closeErr = refusal(p.CancelReason)
		w.stop(env)
		return
	}
	env.Cover(created)
	s.writesItem(env, cellSubstreams, watchItem(watch))
	s.substreams = append(s.substreams, watch)
	w.register(env, p)
}

// refusal is v3rpc.Error of the reason why etcd refuses a watch: it knows the errors of etcd
// by their texts. Kubernetes makes 410 of the one that it looks for, and 500 of all others.
func refusal(reason string) *wire.Error {
	if reason == compactedReason {
		return &wire.Error{Code: wire.ErrCompacted, Message: reason}
	}
	return &wire.Error{Code: wire.Internal, Message: reason}
}

// compactedReason is rpctypes.ErrCompacted in words. etcd gives it to a watch from a revision
// below 0, for which Kubernetes' watcher never asks: what it is told of a compaction is the
// CompactRevision of a response to a watch that was created.
const compactedReason = "etcdserver: mvcc: required revision has been compacted"

// takeCanceled ends the watch that the server has cancelled.
func (s *Stream) takeCanceled(env *sim.Env, p *wire.WatchResponse) {
	s.writesItem(env, cellCancelSet, idItem(p.WatchID))
	if at := slices.Index(s.cancelSet, p.WatchID); at >= 0 {
		s.cancelSet = slices.Delete(s.cancelSet, at, at+1)
	}
	if w := s.substream(env, p.WatchID); w != nil {
		env.Cover(canceledByServer)
		w.stop(env)
	}
}

// dispatch hands a response to its watch, or to all. Responses for an id without a
// watch make the client cancel that id.
func (s *Stream) dispatch(env *sim.Env, p *wire.WatchResponse) {
	if p.WatchID == wire.InvalidWatchID && p.IsProgressNotify() {
		s.broadcastResponse(env, p)
		return
	}
	if w := s.substream(env, p.WatchID); w != nil && w.receive(env, p) {
		return
	}
	if n := len(p.Events); n > 0 {
		dropped.Say(env, p, p.Events[n-1].Kv.ModRevision)
	}
	s.readsItem(env, cellCancelSet, idItem(p.WatchID))
	if slices.Contains(s.cancelSet, p.WatchID) {
		env.Cover(unexpectedAgain)
		return
	}
	env.Cover(unexpectedWatchID)
	s.abandoned = slices.DeleteFunc(s.abandoned, func(id int64) bool { return id == p.WatchID })
	s.cancelOnServer(env, p.WatchID)
}

func (s *Stream) cancelOnServer(env *sim.Env, id int64) {
	s.writesItem(env, cellCancelSet, idItem(id))
	if !slices.Contains(s.cancelSet, id) {
		s.cancelSet = append(s.cancelSet, id)
	}
	env.Send(s.conn, &wire.WatchCancelRequest{WatchID: id})
}

// substream finds the watch that is registered under an id, nil if there is none.
func (s *Stream) substream(env *sim.Env, id int64) *watcherStream {
	s.looksAt(env, cellSubstreams)
	for _, n := range s.substreams {
		if w := s.c.watches[n]; w.id == id {
			s.readsItem(env, cellSubstreams, watchItem(n))
			return w
		}
	}
	return nil
}

func (s *Stream) broadcastResponse(env *sim.Env, p *wire.WatchResponse) {
	env.Cover(broadcast)
	if len(s.resuming) > 0 {
		env.Cover(broadcastMisses)
	}
	s.deliver(env, p)
	if !s.c.cfg.BroadcastsToAll {
		return
	}
	env.LooksAt(cellStreams, 0)
	for _, other := range slices.Clone(s.c.streams) {
		if other == s {
			continue
		}
		givenToOthers.Say(env, p.Revision)
		other.deliver(env, p)
	}
}

// deliver hands a response to all watches that are registered on the stream.
func (s *Stream) deliver(env *sim.Env, p *wire.WatchResponse) {
	s.looksAt(env, cellSubstreams)
	for _, n := range s.substreams {
		s.readsItem(env, cellSubstreams, watchItem(n))
		s.c.watches[n].receive(env, p)
	}
}
