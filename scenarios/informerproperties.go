package scenarios

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// The properties of informers.
const (
	// InitialEvents: what a WatchList has brought when the bookmark comes that
	// ends its initial events is the store at the bookmark's resourceVersion, and
	// that is not older than what was asked for; with resourceVersion "", than
	// etcd was when it was asked (KEP-3157, "API changes").
	InitialEvents = "initial-events"
	// InformerMirrors: an informer's store is the store at its resourceVersion
	// from the first list on, after every step.
	InformerMirrors = "informer-mirrors"
	// InformerMonotonic: an informer's resourceVersion never goes back, restarts
	// of its process and other API servers included (kubernetes #59848).
	InformerMonotonic = "informer-monotonic"
	// InformerSyncs: at the end every informer holds the store as it is. The end
	// is when nothing more can happen, in a timed run when its time is over.
	InformerSyncs = "informer-syncs"
	// InformerDetects: the consistency detector panics if and only if what was
	// streamed is not the store at its resourceVersion.
	InformerDetects = "informer-detects"
)

// isOfInformers reports whether a property is one of informers.
func isOfInformers(name string) bool {
	switch name {
	case InitialEvents, InformerMirrors, InformerMonotonic, InformerSyncs, InformerDetects:
		return true
	}
	return false
}

// informerJudge looks at the informers after each step.
type informerJudge struct {
	log      *model.Log
	replayed int
	seen     []informerView
	// waitedFrom is the step from which on only informers were waited for.
	waitedFrom int

	initialEvents, mirrors, monotonic, detects invariant
}

// informerView is what was known of an informer after the last step.
type informerView struct {
	record  informer.Record
	version int64
	// newest is the greatest resourceVersion that it has ever shown, from where.
	newest int64
	from   sim.NodeID
	// asked is etcd's revision when the last WatchList was asked for.
	asked int64
	// compared is what current was last compared at.
	compared comparison
	current  bool
}

// comparison says of an informer at which of its states it was compared, with
// which revision of etcd.
type comparison struct {
	record            informer.Record
	version, revision int64
}

// invariant is what became of a property that must hold after every step: how
// often it was looked at, and the first violation.
type invariant struct {
	exercised int
	label     string
	why       fmt.Stringer
}

func (v *invariant) finding(name string) explore.Finding {
	f := explore.Finding{Property: name, Exercised: v.exercised, Label: v.label, Why: v.why}
	switch {
	case v.why != nil:
		f.Verdict = model.Violated
	case v.exercised > 0:
		f.Verdict = model.Holds
	}
	return f
}

func (v *invariant) violated(label string, why fmt.Stringer) {
	if v.why == nil {
		v.label, v.why = label, why
	}
}

func (j *informerJudge) reset(s *System) {
	*j = informerJudge{seen: j.seen[:0]}
	if len(s.informers.nodes) == 0 {
		return
	}
	j.log = model.NewLog(s.initial)
	for i := range s.informers.nodes {
		v := informerView{}
		if c := &s.informers.configs[i]; c.WatchList && !c.AwaitReady {
			// The first request goes out before anything can be committed.
			v.record.Requests, v.asked = 1, s.initial.Revision
		}
		j.seen = append(j.seen, v)
	}
}

func (j *informerJudge) after(s *System, w *sim.World, a sim.Action) {
	n := &s.informers
	for committed := s.server.Committed(); j.replayed < len(committed); j.replayed++ {
		j.log.Append(workload.Request(committed[j.replayed].Request))
	}
	switch i := int(a.Node) - int(n.first); {
	case a.Kind == sim.Inject:
		for i := range n.nodes {
			j.look(s, w, i)
		}
	case i >= 0 && i < len(n.nodes):
		j.look(s, w, i)
	}
}

// look compares an informer with what it was before the step.
func (j *informerJudge) look(s *System, w *sim.World, i int) {
	r, v := s.informers.nodes[i], &j.seen[i]
	rec := *r.Record()
	before := v.record
	v.record = rec
	name := w.NodeName(s.informers.first + sim.NodeID(i))
	contents := func(ascend func(func(*wire.KeyValue) bool), version int64) *divergence {
		return compare(name, version, s.informers.configs[i].Prefix, ascend, j.log)
	}
	streamed := rec.Streamed > before.Streamed
	if rec.Checked > before.Checked {
		j.judgeDetector(r, &rec, contents)
	}
	if version := r.ResourceVersion(); version != 0 && (version != v.version || streamed || rec.Listed > before.Listed) {
		different := contents(r.Ascend, version)
		j.mirrors.exercised++
		if different != nil {
			j.mirrors.violated(different.label(), different)
		}
		if streamed {
			j.judgeInitialEvents(name, rec.Requested, v.asked, version, different)
		}
		j.judgeVersion(name, w, r, v, version)
	}
	v.version = r.ResourceVersion()
	if rec.Requests > before.Requests {
		v.asked = j.log.Revision()
	}
}

func (j *informerJudge) judgeInitialEvents(name string, requested, asked, version int64, different *divergence) {
	j.initialEvents.exercised++
	least := requested
	if requested == wire.Unset {
		least = asked
	}
	switch {
	case different != nil:
		j.initialEvents.violated(different.label(), different)
	case version < least:
		j.initialEvents.violated("stale", &staleEnd{name, requested == wire.Unset, version, least})
	}
}

func (j *informerJudge) judgeVersion(name string, w *sim.World, r *informer.Informer, v *informerView, version int64) {
	if v.newest > 0 {
		j.monotonic.exercised++
	}
	if version < v.newest {
		j.monotonic.violated("went-back", &wentBack{name, v.newest, version, w.NodeName(v.from), w.NodeName(r.Server())})
		return
	}
	v.newest, v.from = version, r.Server()
}

func (j *informerJudge) judgeDetector(r *informer.Informer, rec *informer.Record, contents func(func(func(*wire.KeyValue) bool), int64) *divergence) {
	j.detects.exercised++
	if !rec.Panicked {
		if different := contents(r.Ascend, r.ResourceVersion()); different != nil {
			j.detects.violated("missed", &wrongAlarm{different})
		}
		return
	}
	if contents(r.AscendStreamed, r.StreamedVersion()) == nil {
		j.detects.violated("false-alarm", &wrongAlarm{})
	}
}

func (j *informerJudge) finding(s *System, w *sim.World, name string) explore.Finding {
	switch name {
	case InitialEvents:
		return j.initialEvents.finding(name)
	case InformerMirrors:
		return j.mirrors.finding(name)
	case InformerMonotonic:
		return j.monotonic.finding(name)
	case InformerDetects:
		return j.detects.finding(name)
	}
	return j.syncs(s, w)
}

// syncs judges the end of a run. A run that was cut off says nothing of those
// that are still on their way.
func (j *informerJudge) syncs(s *System, w *sim.World) explore.Finding {
	var all invariant
	for i, r := range s.informers.nodes {
		switch {
		case j.current(s, i):
			all.exercised++
		case isOver(s, w):
			all.exercised++
			all.violated("behind", &behind{
				w.NodeName(s.informers.first + sim.NodeID(i)), r.Synced(), r.Record().Panicked, r.ResourceVersion(), j.log.Revision(),
			})
		}
	}
	return all.finding(InformerSyncs)
}

// isOver: nothing more can happen, or all the time has passed that there was to
// happen in, with nothing broken at last.
func isOver(s *System, w *sim.World) bool {
	if w.Mode() == sim.Timed && w.Now() >= sim.Time(s.params.Horizon) {
		return w.Phase() == sim.Liveness
	}
	return len(w.Enabled()) == 0
}

// current: the informer holds the store as it is.
func (j *informerJudge) current(s *System, i int) bool {
	r, v := s.informers.nodes[i], &j.seen[i]
	if at := (comparison{*r.Record(), r.ResourceVersion(), j.log.Revision()}); at != v.compared {
		v.compared = at
		v.current = r.Synced() && compare("", at.revision, s.informers.configs[i].Prefix, r.Ascend, j.log) == nil
	}
	return v.current
}

// done: every informer that lives has what there is. Without a clock a timer may
// go off again and again before anything else happens, so that informers are
// waited for only for so long after the rest of the workload is done.
func (j *informerJudge) done(s *System, w *sim.World) bool {
	if j.waitedFrom == 0 {
		j.waitedFrom = w.Steps()
	}
	if w.Mode() == sim.Untimed && w.Steps() > j.waitedFrom+patience {
		return true
	}
	for i, r := range s.informers.nodes {
		if !j.current(s, i) && !r.Record().Panicked {
			return false
		}
	}
	return true
}

// patience is in steps: many times as many as any informer of the catalogue
// needs to get up to date while everybody takes turns.
const patience = 2_000

type staleEnd struct {
	informer       string
	newest         bool
	version, least int64
}

func (e *staleEnd) String() string {
	if e.newest {
		return fmt.Sprintf("%s asked for the newest state when etcd was at revision %d; its initial events end at RV %d", e.informer, e.least, e.version)
	}
	return fmt.Sprintf("%s asked for RV %d or later; its initial events end at RV %d", e.informer, e.least, e.version)
}

type wentBack struct {
	informer          string
	before, after     int64
	beforeAt, afterAt string
}

func (b *wentBack) String() string {
	return fmt.Sprintf("%s had RV %d from %s, and now shows RV %d from %s", b.informer, b.before, b.beforeAt, b.after, b.afterAt)
}

type wrongAlarm struct{ different *divergence }

func (d *wrongAlarm) String() string {
	if d.different == nil {
		return "the consistency detector panics, and what was streamed was right"
	}
	return "the consistency detector found nothing: " + d.different.String()
}

type behind struct {
	informer          string
	synced, panicked  bool
	version, revision int64
}

func (b *behind) String() string {
	switch {
	case b.panicked:
		return b.informer + " has panicked"
	case !b.synced:
		return b.informer + " never syncs"
	}
	return fmt.Sprintf("%s is at RV %d and differs from etcd at revision %d, and stays there", b.informer, b.version, b.revision)
}
