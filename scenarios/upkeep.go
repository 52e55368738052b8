package scenarios

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// upkeep is what goes on in a system beside its clients: API servers that compact
// etcd, events that get lost, and the two properties that are about them.
type upkeep struct {
	compactors []*compactor.Compactor
	configs    []compactor.Config
	// client is the number in histories of who writes the compactors' key.
	client int

	judgesCompacted, judgesDetects bool
	compacted                      compacted
	detects                        detects
}

// claims takes note of a property that is to be judged here; it returns false if
// it is none of those.
func (u *upkeep) claims(property string) bool {
	switch property {
	case Compacted:
		u.judgesCompacted = true
	case Detects:
		u.judgesDetects = true
	default:
		return false
	}
	return true
}

// configure makes the compactors, and tells the caches of them and of who goes
// down with them.
func (u *upkeep) configure(s *System) {
	next := 0
	for i := range s.servers {
		server := &s.servers[i]
		if server.compactor != 0 {
			c := compactor.Config{KV: s.cacheConfigs[next].KV, Watch: server.client, Interval: s.params.CompactInterval}
			u.configs = append(u.configs, c)
			u.compactors = append(u.compactors, compactor.New(c))
		}
		for range server.caches {
			s.cacheConfigs[next].Compactor = server.compactor
			s.cacheConfigs[next].Process = server.nodes()
			s.cacheConfigs[next].ConsistencyCheckPeriod = s.params.CheckPeriod
			next++
		}
	}
	if len(u.compactors) > 0 {
		u.client = len(s.names)
		s.names = append(s.names, "compactors")
	}
	u.compacted.slack = slackOf(&s.params, &s.behaviours.Cache)
}

// build adds the compactor of an API server.
func (u *upkeep) build(s *System, w *sim.World, server int) {
	if len(u.compactors) > 0 {
		u.compactors[server].Reset(u.configs[server])
		w.Add(numbered("compactor", server, len(u.compactors)), u.compactors[server])
	}
}

func (u *upkeep) reset(s *System) {
	u.compacted.reset(s)
	u.detects.reset(s)
}

func (u *upkeep) after(s *System, w *sim.World, a sim.Action) {
	if u.judgesCompacted {
		u.compacted.after(s, w, a)
	}
	if u.judgesDetects {
		u.detects.after(s, w, a)
	}
}

func (u *upkeep) knows(property string) bool { return property == Compacted || property == Detects }

func (u *upkeep) finding(s *System, property string) explore.Finding {
	if property == Compacted {
		return u.compacted.finding(s)
	}
	return u.detects.finding(s)
}

// history adds what the compactors wrote, because a revision that nobody made is
// a violation. Nobody recorded when they asked: the writes are given as ground
// truth knows them, by clients that never heard of the outcome.
func (u *upkeep) history(s *System, ops []model.Operation) []model.Operation {
	if len(u.compactors) == 0 {
		return ops
	}
	start, revision := len(ops), s.initial.Revision
	for _, c := range s.server.Committed() {
		txn, ok := c.Request.(*wire.TxnRequest)
		if ok && c.Revision > revision && len(txn.Success) > 0 && txn.Success[0].Put.Key == wire.CompactRevKey {
			ops = append(ops, model.Operation{
				Client: u.client, Return: math.MaxInt64, Request: workload.Request(txn), Outcome: model.Unknown, Commit: c.Revision,
			})
		}
		revision = c.Revision
	}
	// Calls of one client follow each other; these come before all others.
	for i := start; i < len(ops); i++ {
		ops[i].Call = int64(i - len(ops))
	}
	return ops
}

// faults are the events that get lost between an API server's client library and
// its first cache.
func (u *upkeep) faults(s *System) {
	for i := range min(s.params.LostEvents, len(s.servers)) {
		server := &s.servers[i]
		s.faults = append(s.faults, plannedFault{
			&sim.LoseMessage{From: server.client, To: server.caches[0], Label: "event of " + s.cacheName(i, 0), Match: isChange},
			sim.Budget{Times: s.params.LostEvents/len(s.servers) + min(1, max(0, s.params.LostEvents%len(s.servers)-i)), Within: s.params.FaultsFor},
		})
	}
}

func isChange(p sim.Payload) bool {
	e, ok := p.(*wire.WatchEvent)
	return ok && slices.Contains([]wire.WatchEventType{wire.Added, wire.Modified, wire.Deleted}, e.Type)
}
