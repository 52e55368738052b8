package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// Prefix is the first resource that caches hold, NoisePrefix one that they do
// not.
const (
	Prefix      = "/registry/pods/"
	NoisePrefix = "/registry/events/"
)

// System is a scenario with its parameters, ready to run: one etcd, caches with
// their client libraries, and the workload. It implements explore.Subject.
type System struct {
	params     Params
	claims     []string
	properties []linearizability.Property
	behaviours Behaviours

	server  *etcd.Server
	lagging *etcd.Server
	clients []*client.Client
	// caches are those of the first API server, then those of the second ...
	caches       []*cache.Cache
	workers      []*workload.Client
	watchers     []*workload.Watcher
	raw          []*workload.EtcdWatch
	listWatchers listWatchers
	informers    informers
	memory       Memory
	pollers      pollers
	etcdNode     sim.NodeID
	// follower is the member that serves the watches, 0 if there is none of its
	// own.
	follower sim.NodeID
	servers  []apiServer

	serverConfig etcd.Config
	clientConfig client.Config
	cacheConfigs []cache.Config
	programs     []program
	rawPlans     []workload.EtcdWatchPlan
	faults       []plannedFault
	upkeep       upkeep
	initial      model.Initial
	bound        Bound
	names        []string
	operations   []model.Operation
	judge        linearizability.Judge
	mirrors      mirrors
	findings     []explore.Finding
	wantsLog     bool
	// done is the number of workers, from the first on, that are known to be.
	done int
	// watched: something looks at the world after each step.
	watched       bool
	claimsMirrors bool
}

type program struct {
	name  string
	steps []workload.Step
	await sim.NodeID
}

type plannedFault struct {
	fault  sim.Fault
	budget sim.Budget
}

// newSystem expands the parameters into configurations and programs, so that
// building a run is nothing but resetting nodes.
func newSystem(p Params, claims []string, stream func(*Params, int) workload.EtcdWatchPlan) (*System, error) {
	b, err := p.Behaviours()
	if err != nil {
		return nil, err
	}
	if err := p.fit(); err != nil {
		return nil, err
	}
	s := &System{params: p, claims: claims, behaviours: b, etcdNode: 1}
	for _, c := range claims {
		switch q := linearizability.Property(c); {
		case slices.Contains(linearizability.Properties(), q):
			s.properties = append(s.properties, q)
		case c == Mirrors:
			s.claimsMirrors = true
		case c == Answers, c == Recovers, c == WatchListEnds, isOfInformers(c):
		case s.upkeep.claims(c):
		case isGuarantee(c):
			s.wantsLog = true
		default:
			return nil, fmt.Errorf("unknown property %q", c)
		}
	}
	s.place()
	s.configure()
	s.informers.configure(s)
	s.pollers.configure(s)
	s.listWatchers.configure(s)
	for i := range p.Streams {
		plan := stream(&s.params, i)
		plan.To = s.etcdNode
		s.rawPlans = append(s.rawPlans, plan)
	}
	s.plan()
	s.upkeep.configure(s)
	s.planFaults()
	if err := s.configureGuard(); err != nil {
		return nil, err
	}
	s.bound = boundOf(&s.params, s.behaviours.Cache.ProgressRequests)
	s.watched = s.claimsMirrors || s.upkeep.judgesCompacted || s.upkeep.judgesDetects ||
		len(s.informers.nodes)+len(s.listWatchers.nodes) > 0 || s.params.ObjectBytes > 0
	return s, nil
}

func (s *System) configure() {
	p := &s.params
	// The version was checked by Behaviours.
	s.serverConfig, _ = etcd.DefaultConfig(p.Etcd)
	c := &s.serverConfig
	c.Behaviour = s.behaviours.Etcd
	override(&c.ChanBufLen, p.ChanBuf)
	override(&c.CtrlStreamBufLen, p.CtrlBuf)
	override(&c.SendWindow, p.SendWindow)
	override(&c.MaxWatchersPerSync, p.WatchersPerSync)
	override(&c.WatchBatchMaxRevs, p.SyncBatch)
	override(&c.CompactionBatchLimit, p.CompactionBatch)
	switch {
	case p.Notify > 0:
		c.ProgressNotifyInterval = p.Notify
	case s.behaviours.Cache.ProgressRequests == cache.ProgressNotify:
		c.ProgressNotifyInterval = p.notifyInterval()
	case p.Mode == sim.Untimed:
		c.ProgressNotifyInterval = 0
	}
	s.fill()
	s.clientConfig, _ = client.DefaultConfig(p.clientVersion())
	s.clientConfig.Behaviour = s.behaviours.Client
	s.clientConfig.Etcd, s.clientConfig.WatchMember = s.etcdNode, s.follower
	override(&s.clientConfig.IncomingBufSize, p.ClientBuf)
	override(&s.clientConfig.OutgoingBufSize, p.ClientBuf)
	if p.Page > 0 {
		s.clientConfig.SyncPageSize = int64(p.Page)
	}
	for _, server := range s.servers {
		kv := s.etcdNode
		if p.ClientKV {
			kv = server.client
		}
		s.clients = append(s.clients, client.New(s.clientConfig))
		for resource := range server.caches {
			config := cache.Config{
				Options: s.behaviours.Cache, Prefix: prefixOf(resource),
				KV: kv, Watch: server.client, Metadata: p.metadata(resource),
			}
			config.RingCapacity, config.IncomingCapacity, config.WatchCapacity, config.ListPageSize = p.Ring, p.Incoming, p.WatchBuf, p.Page
			config.InitialEventsBytes = p.WatchList.Cap
			s.cacheConfigs = append(s.cacheConfigs, config)
			s.caches = append(s.caches, cache.New(config))
		}
	}
	s.serverConfig.Replicated = p.Lagging
	s.server = etcd.New(s.serverConfig)
	if p.Lagging {
		s.lagging = etcd.New(s.followerConfig())
	}
}

func (s *System) followerConfig() etcd.Config {
	c := s.serverConfig
	c.Leader, c.Replicated = s.etcdNode, false
	return c
}

// notifyInterval is what a cache that never asks for progress has etcd configured
// to: 250 ms, unless the parameters say something else (the first draft of
// KEP-2340, "Progress notify interval selection").
func (p *Params) notifyInterval() time.Duration {
	if p.Notify > 0 {
		return p.Notify
	}
	return 250 * time.Millisecond
}

func override(field *int, value int) {
	if value > 0 {
		*field = value
	}
}

// fill makes the contents before the run: the watched keys first, then the
// revisions that other keys took.
func (s *System) fill() {
	rev := int64(1)
	add := func(key string) {
		rev++
		kv := &wire.KeyValue{Key: key, Value: "initial", CreateRevision: rev, ModRevision: rev, Version: 1}
		s.serverConfig.Initial = append(s.serverConfig.Initial, kv)
		it := workload.Item(kv)
		s.initial.Items = append(s.initial.Items, &it)
	}
	for i := range s.params.Items {
		add(s.params.watched(i))
	}
	for i := range s.params.History {
		add(NoisePrefix + "old" + strconv.Itoa(i))
	}
	s.serverConfig.InitialRevision = rev
	s.initial.Revision = rev
}

// key names the i-th of the watched keys: a, b, ... z, aa ...
func key(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return key(i/26-1) + key(i%26)
}

// Options implements explore.Subject.
func (s *System) Options() sim.Options {
	p := &s.params
	delay := func(most sim.Duration) sim.Delay {
		if most == 0 {
			return sim.Delay{}
		}
		return sim.Delay{Max: most, Steps: delaySteps}
	}
	// Faults are what the safety phase adds; its delays are ten times as wide.
	wide := sim.Bounds{Network: delay(10 * p.Network), Scheduling: delay(10 * p.Scheduling)}
	declared := sim.Bounds{Network: delay(p.Network), Scheduling: delay(p.Scheduling)}
	return sim.Options{Mode: p.Mode, Safety: wide, Liveness: declared}
}

// delaySteps is how finely a delay is chosen: few values shrink well, and the
// order of events is what matters.
const delaySteps = 4

// BeginsAtRest implements explore.AtRest.
func (s *System) BeginsAtRest() bool { return s.params.AtRest && s.params.Mode == sim.Untimed }

// Build implements explore.Subject.
func (s *System) Build(w *sim.World) {
	s.server.Reset(s.serverConfig)
	w.Add("etcd", s.server)
	if s.lagging != nil {
		s.lagging.Reset(s.followerConfig())
		w.Add("etcd-follower", s.lagging)
	}
	next := 0
	for i, server := range s.servers {
		s.clients[i].Reset(s.clientConfig)
		w.Add(numbered("client", i, len(s.servers)), s.clients[i])
		for resource := range server.caches {
			s.caches[next].Reset(s.cacheConfigs[next])
			w.Add(s.cacheName(i, resource), s.caches[next])
			next++
		}
		s.upkeep.build(s, w, i)
	}
	for i, c := range s.workers {
		c.Reset(s.programs[i].name, i, s.programs[i].steps, s.programs[i].await)
		w.Add(s.programs[i].name, c)
	}
	for i, r := range s.watchers {
		r.Reset(numbered("watcher", i, len(s.watchers)), s.cacheNode(i, i), prefixOf(i%s.params.resources()), s.params.Leave, watcherRetries)
		w.Add(r.Name(), r)
	}
	for i, r := range s.raw {
		r.Reset(numbered("stream", i, len(s.raw)), s.rawPlans[i])
		w.Add(r.Name(), r)
	}
	s.informers.build(s, w)
	s.listWatchers.build(w)
	s.memory = Memory{}
	s.pollers.build(w)
	for _, f := range s.faults {
		w.AddFault(f.fault, f.budget)
	}
	s.done = 0
	s.mirrors.reset(s)
	s.upkeep.reset(s)
}

// watcherRetries bounds how often a watcher starts again: enough for every
// fault of the catalogue.
const watcherRetries = 3

// numbered is a name, with a number if there are several of a kind.
func numbered(name string, i, of int) string {
	if of == 1 {
		return name
	}
	return name + "-" + strconv.Itoa(i+1)
}

// After implements explore.Subject.
func (s *System) After(w *sim.World, a sim.Action) {
	if !s.watched {
		return
	}
	if s.claimsMirrors {
		s.mirrors.after(s, w, a)
	}
	if s.upkeep.judgesCompacted || s.upkeep.judgesDetects {
		s.upkeep.after(s, w, a)
	}
	if len(s.informers.nodes) > 0 {
		s.informers.judged.after(s, w, a)
	}
	if len(s.listWatchers.nodes) > 0 {
		s.listWatchers.after(s)
	}
	if s.params.ObjectBytes > 0 {
		s.memory.after(s, w, a)
	}
}

// Over implements explore.Subject.
func (s *System) Over(w *sim.World) bool {
	if w.Mode() == sim.Timed {
		if w.Phase() == sim.Safety && w.Now() >= sim.Time(s.params.FaultsFor) && s.ready() {
			w.Heal()
		}
		if w.Now() >= sim.Time(s.params.Horizon) {
			return true
		}
		if len(s.pollers.nodes) > 0 {
			return false
		}
	}
	// Who is done stays done.
	for ; s.done < len(s.workers); s.done++ {
		if !s.workers[s.done].Done() {
			return false
		}
	}
	for _, r := range s.raw {
		if !r.Done() {
			return false
		}
	}
	return (len(s.workers)+len(s.informers.nodes) > 0 || w.Mode() == sim.Untimed) && s.informers.judged.done(s, w) && s.listWatchers.done(w)
}

func (s *System) ready() bool {
	for _, c := range s.caches {
		if !c.Ready() {
			return false
		}
	}
	return true
}

// Judge implements explore.Subject.
func (s *System) Judge(w *sim.World) []explore.Finding {
	s.findings = s.findings[:0]
	if s.params.ObjectBytes > 0 {
		s.memory.record(w)
	}
	var log *model.Log
	h := s.History()
	if s.wantsLog || unknownWrites(h) {
		log = s.Log()
	}
	judgements, err := s.judge.Check(h, log, s.properties...)
	if err != nil {
		panic(err)
	}
	var watches []model.WatchJudgement
	if s.wantsLog {
		watches = s.watches(log)
	}
	next := 0
	for _, c := range s.claims {
		switch {
		case c == Mirrors:
			s.findings = append(s.findings, s.mirrors.finding())
		case c == Answers:
			s.findings = append(s.findings, s.answers(w))
		case c == Recovers:
			s.findings = append(s.findings, s.pollers.recovers(s, w))
		case s.upkeep.knows(c):
			s.findings = append(s.findings, s.upkeep.finding(s, c))
		case c == WatchListEnds:
			s.findings = append(s.findings, s.listWatchers.ends(w))
		case c == InitialEvents:
			s.findings = append(s.findings, s.listWatchers.initialEvents(log, s.informers.judged.initialEvents))
		case isOfInformers(c):
			s.findings = append(s.findings, s.informers.judged.finding(s, w, c))
		case isGuarantee(c):
			s.findings = append(s.findings, guarantee(c, watches))
		default:
			j := &judgements[next]
			next++
			f := explore.Finding{Property: c, Verdict: j.Verdict, Exercised: j.Exercised}
			if j.Why != nil {
				f.Label, f.Why = string(j.Why.Anomaly), j.Why
			}
			s.findings = append(s.findings, f)
		}
	}
	return s.findings
}

func unknownWrites(h *model.History) bool {
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Outcome == model.Unknown && op.Request.IsWrite() {
			return true
		}
	}
	return false
}

// History is what the clients recorded in the last run. It is valid until the
// next.
func (s *System) History() *model.History {
	ops := s.operations[:0]
	for _, c := range s.workers {
		ops = append(ops, c.Operations()...)
	}
	ops = s.upkeep.history(s, ops)
	slices.SortFunc(ops, func(a, b model.Operation) int { return int(a.Call - b.Call) })
	s.operations = ops
	return &model.History{Clients: s.names, Initial: s.initial, Operations: ops}
}

// Log is ground truth of the last run: the writes that etcd committed, replayed
// by the model.
func (s *System) Log() *model.Log {
	log := model.NewLog(s.initial)
	for _, c := range s.server.Committed() {
		log.Append(workload.Request(c.Request))
	}
	return log
}

// JudgeWith sets up to how many operations a history is judged by porcupine as
// well as by the witness: linearizability.DefaultOperations if it is never
// called, none if it is negative. Reported violations are porcupine's all the
// same.
func (s *System) JudgeWith(operations int) { s.judge.Operations = operations }

// Params are the parameters that the system was made with.
func (s *System) Params() Params { return s.params }
