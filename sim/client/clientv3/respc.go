package clientv3

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// respc is what run does with a response.
func (s *Stream) respc(env *sim.Env, p *wire.WatchResponse) {
	if s.loop.Look(env).state == streamStuck {
		return
	}
	cur := s.collect(env, p)
	if cur.Fragment && !p.Created && (!p.Canceled || p.CompactRevision != 0) {
		env.Cover(fragmentHeld)
		return
	}
	*s.cur.Value() = nil
	switch {
	case p.Created:
		s.takeCreated(env, p)
	case p.Canceled && p.CompactRevision == 0:
		s.takeCanceled(env, p)
	default:
		s.dispatch(env, cur)
	}
}

// collect puts a response behind the fragments that came before it.
func (s *Stream) collect(env *sim.Env, p *wire.WatchResponse) *wire.WatchResponse {
	cur := s.cur.Change(env)
	switch {
	case *cur == nil || p.Created || p.Canceled:
		*cur = p
	case (*cur).WatchID == p.WatchID:
		s.cur.Read(env)
		// The first fragment may be shared with others: extend a copy.
		merged := **cur
		merged.Events = append(merged.Events[:len(merged.Events):len(merged.Events)], p.Events...)
		merged.Fragment = p.Fragment
		*cur = &merged
		env.Cover(fragmentMerged)
	default:
		env.Cover(lostBetweenFragments)
	}
	return *cur
}

// takeCreated registers the first watch of the queue, and has the next one created.
func (s *Stream) takeCreated(env *sim.Env, p *wire.WatchResponse) {
	if len(s.resuming.All()) > 0 {
		if w := s.resuming.Read(env, 0); w != noWatch {
			s.addSubstream(env, p, w)
			s.resuming.Put(env, 0, noWatch)
		} else {
			env.Cover(createdAbandoned)
			l := s.loop.Value()
			l.abandoned = append(l.abandoned, p.WatchID)
		}
	}
	s.nextResume(env)
}

// addSubstream registers a watch under the id that the server gave it.
func (s *Stream) addSubstream(env *sim.Env, p *wire.WatchResponse, watch number) {
	w := s.watch(watch)
	if p.WatchID == wire.InvalidWatchID || p.Canceled && p.CancelReason != "" {
		env.Cover(createRefused)
		s.closeErr.Set(env, refusal(p.CancelReason))
		w.stop(env)
		return
	}
	env.Cover(created)
	s.substreams.Add(env, registered{watch, p.WatchID})
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
	ids := s.cancelSet.ChangeItem(env, idItem(p.WatchID))
	if at, in := slices.BinarySearch(*ids, p.WatchID); in {
		*ids = slices.Delete(*ids, at, at+1)
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
	if slices.Contains(*s.cancelSet.ReadItem(env, idItem(p.WatchID)), p.WatchID) {
		env.Cover(unexpectedAgain)
		return
	}
	env.Cover(unexpectedWatchID)
	l := s.loop.Value()
	l.abandoned = slices.DeleteFunc(l.abandoned, func(id int64) bool { return id == p.WatchID })
	s.cancelOnServer(env, p.WatchID)
}

func (s *Stream) cancelOnServer(env *sim.Env, id int64) {
	ids := s.cancelSet.ChangeItem(env, idItem(id))
	if at, in := slices.BinarySearch(*ids, id); !in {
		*ids = slices.Insert(*ids, at, id)
	}
	env.Send(s.loop.Value().conn, &wire.WatchCancelRequest{WatchID: id})
}

// substream finds the watch that is registered under an id, nil if there is none.
func (s *Stream) substream(env *sim.Env, id int64) *watcherStream {
	if at := s.substreams.Find(env, func(r registered) bool { return r.id == id }); at >= 0 {
		return s.watch(s.substreams.All()[at].watch)
	}
	return nil
}

func (s *Stream) broadcastResponse(env *sim.Env, p *wire.WatchResponse) {
	env.Cover(broadcast)
	if len(s.resuming.All()) > 0 {
		env.Cover(broadcastMisses)
	}
	s.deliver(env, p)
	if !s.c.cfg.BroadcastsToAll {
		return
	}
	for _, other := range slices.Clone(s.c.streams.Look(env)) {
		if other == s {
			continue
		}
		givenToOthers.Say(env, p.Revision)
		other.deliver(env, p)
	}
}

// deliver hands a response to all watches that are registered on the stream.
func (s *Stream) deliver(env *sim.Env, p *wire.WatchResponse) {
	for at := range s.substreams.Look(env) {
		s.watch(s.substreams.Read(env, at).watch).receive(env, p)
	}
}
