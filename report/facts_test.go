package report

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/sim"
)

// fact is something that a story has to say: a note of one of these kinds, and one
// that says of itself that something is set back if that is asked for. Or it is that a
// fault strikes.
type fact struct {
	notes   []string
	setBack bool
	fault   bool
}

func said(note string) fact       { return fact{notes: []string{note}} }
func either(notes ...string) fact { return fact{notes: notes} }
func setBack(note string) fact    { return fact{notes: []string{note}, setBack: true} }

// struck: a fault is told.
var struck = fact{fault: true}

// What is said in several stories.
var (
	unsynced   = said("mvcc.registeredUnsynced")
	earlyAhead = said("v3rpc.progressAnswered")
	lists      = said("store.listed")
	takesEarly = said("cache.takesProgress")
	answers    = said("read.answers")
	gaveUp     = said("read.gaveUp")
	// eventWaits: the event that progress overtakes waits for syncWatchers, or in the
	// watch channel.
	eventWaits  = either("mvcc.registeredUnsynced", "v3rpc.overtook")
	noTombstone = said("mvcc.tombstoneRemoved")
)

// overtaken is etcd-io/etcd#15220: progress is sent before an event that it includes, and
// the cache takes it for the proof that it has all events. What came of that is added.
func overtaken(more ...fact) []fact {
	return append([]fact{eventWaits, earlyAhead, takesEarly}, more...)
}

// neverAnswered is etcd-io/etcd#17507: a progress request meets an unsynced watcher, and
// waits for an event that does not come.
func neverAnswered(more ...fact) []fact {
	return append([]fact{unsynced, setBack("v3rpc.progressRefused"), setBack("mvcc.becameSynced")}, more...)
}

// mechanisms are the facts without which a story does not say why it came so. Each case
// has a row: what the bug is, by its issue, and not what its story says today.
var mechanisms = map[string][]fact{
	// Bugs of etcd.
	"bug-issue-15220": overtaken(answers),
	// A compaction that goes on after a restart does not know the deletion.
	"bug-issue-19179":        {struck, said("mvcc.restored"), said("mvcc.tombstoneForgotten"), noTombstone, unsynced},
	"bug-issue-20221-events": {said("mvcc.registeredAhead"), said("mvcc.restored"), said("mvcc.lostSync"), said("mvcc.startLowered"), said("mvcc.posted")},
	"bug-issue-20693":        {unsynced, said("mvcc.negativeRange"), said("mvcc.becameSynced"), said("mvcc.posted")},
	// The value goes with the compaction, and the server that does not find it exits.
	"bug-issue-22376": {setBack("mvcc.valueRemoved"), setBack("mvcc.pairMissing"), said("mvcc.restored")},

	// An echo that never comes, and an informer that asks again and again.
	"progress-echo-comes-to-rest": {said("read.waits"), setBack("v3rpc.progressRefused"), said("read.gaveUp")},

	// Bugs of the client library.
	"bug-decode-as-ready":             {said("etcd3.sentPast"), said("cache.takesIn")},
	"bug-bookmark-without-slot":       {said("etcd3.progressPasses"), takesEarly},
	"bug-decode-error-aside":          {said("etcd3.leftOut"), said("cache.takesIn")},
	"bug-stream-late-fallback":        {said("etcd.chunkRead"), said("etcd3.listsInPages"), lists},
	"bug-progress-of-another-stream":  {unsynced, said("clientv3.givenToOthers"), takesEarly},
	"bug-check-pages-of-newest-state": {said("check.checks"), said("check.differs"), said("etcd.applied")},
	"bug-watcher-missing-prevkv":      {unsynced, setBack("v3rpc.optionsUnknown"), said("etcd3.deletionDropped")},
	"bug-etcd-17611":                  {struck, setBack("v3rpc.denied"), setBack("clientv3.runWaits")},
	"bug-client-refuses-writes":       {struck, said("etcd.failed"), said("clientv3.callFailed"), said("etcd.applied"), said("workload.OperationEnded")},
	"bug-client-repeats-writes":       {struck, said("etcd.failed"), said("etcd.applied"), said("clientv3.callRepeated")},

	"bug-issue-17642":               {struck, setBack("lease.LooksUpLeaderless")},
	"bug-lease-renewal-lost":        {setBack("lease.Renewed"), said("lease.RanOut")},
	"bug-promoted-leases-forgotten": {setBack("lease.BeganToLead")},
	"bug-compaction-after-last":     {said("etcd.applied"), said("v3rpc.altered")},
	"bug-issue-12385":               {setBack("v3rpc.refusedAs")},
	"bug-victims-left":              {said("mvcc.becameVictim"), setBack("mvcc.victimsLeft")},
	"bug-client-keeps-calls":        {setBack("clientv3.callKept")},
	"bug-client-keeps-watches":      {struck, setBack("clientv3.closingsLeft")},

	// An entry is applied twice.
	"bug-issue-13514": {struck, setBack("etcd.repeated"), said("etcd.applied")},

	// The store of the member lacks an entry.
	"bug-issue-13766": {struck, setBack("etcd.skipped"), said("etcd.applied")},

	// Bugs of the cache.
	"bug-kubernetes-105409":               {said("flowcontrol.seatsKept")},
	"bug-kubernetes-117137":               {said("read.waits"), setBack("read.lockedOut")},
	"bug-established-early":               {setBack("dispatch.establishedEarly")},
	"bug-kubernetes-78029":                {said("dispatch.registered"), setBack("dispatch.stranded"), lists},
	"bug-queue-times-out":                 {said("flowcontrol.queued"), said("flowcontrol.refused")},
	"bug-budget-unbounded":                {said("cache.takesIn")},
	"bug-kubernetes-58545":                {said("cache.takesIn"), said("store.otherVersion"), said("workload.eventReceived")},
	"bug-kubernetes-59848":                {lists, said("read.unasked"), answers},
	"bug-kubernetes-35415":                {said("write.suggests"), said("workload.OperationEnded")},
	"bug-kubernetes-89828-deleted-object": {said("write.suggests"), said("workload.OperationEnded")},
	"bug-kubernetes-123674":               {said("read.waits"), said("read.waitsSilently"), gaveUp},
	"bug-kubernetes-125584":               {said("read.openPrefix"), answers},
	"bug-stale-index":                     {said("store.staysIndexed"), answers},
	"bug-store-without-snapshot":          {setBack("store.notKept"), answers},
	"bug-trigger-of-new-value":            {setBack("dispatch.untriggered")},
	"bug-issue-18667":                     {said("etcd.rangeLeftOut"), said("v3rpc.sent")},
	"bug-issue-20418":                     {said("etcd.oldIndexTaken"), answers},
	"bug-store-before-version":            {said("cache.storeOnly"), said("dispatch.initialEventsSent")},
	"bug-change-wakes-no-read":            {said("cache.takesIn"), said("cache.skipsProgress"), answers},
	"bug-version-before-store":            {said("cache.versionOnly"), answers},
	"bug-page-of-newest-state":            {answers, said("cache.takesIn"), said("read.otherState")},
	"bug-progress-lowers-version":         {said("cache.putOff"), said("cache.takesIn"), said("store.versionLowered")},
	"bug-revision-of-last-reader":         {said("read.heard"), said("etcd.applied"), said("read.otherReader"), answers},
	"bug-reinitialised-unchecked":         {said("dispatch.missed"), said("dispatch.replays")},
	"bug-groups-expire-together":          {said("dispatch.expired")},

	// Bugs of informers and compactors.
	"bug-kubernetes-91073":           {gaveUp, said("informer.listRefused"), said("informer.listSent")},
	"bug-kubernetes-100878":          {struck, said("informer.watchRefused"), said("informer.listSent")},
	"bug-kubernetes-135580":          {said("informer.detectorPanics")},
	"bug-kubernetes-126770":          {said("informer.wholeListed"), said("informer.storeReplaced")},
	"bug-informer-ignores-bookmarks": {said("informer.eventTaken"), said("informer.watchRefused"), said("informer.listSent")},
	// Shared informers.
	"bug-kubernetes-115620":               {said("shared.told")},
	"bug-kubernetes-137296":               {said("shared.handlerAdded"), said("shared.handlerRemoved"), said("shared.informerStopped")},
	"bug-controller-records-what-it-read": {said("controller.acts"), said("controller.answered"), said("controller.acts")},
	"bug-kubernetes-28202":                {said("compactor.uncontested"), said("etcd.applied")},
	"bug-compacts-present-revision":       {said("compactor.tryWon"), said("etcd.applied")},

	// Progress overtakes events, in one scenario after the other.
	"issue-15220":          overtaken(said("v3rpc.overtook"), answers),
	"informer-moves-3.5.7": overtaken(said("informer.eventTaken")),
	"guard-downgrade":      overtaken(said("guard.versionHeard"), said("mvcc.restored"), unsynced),

	// Progress that is asked for never comes.
	"issue-17507": neverAnswered(),

	"watch-guarantees-3.5.7-reliable": {unsynced, said("mvcc.fellThrough")},

	// The clients ask for what they are given.
	"stale-list":           {lists, said("etcd.applied"), answers},
	"stale-own-write":      {lists, said("etcd.applied"), answers},
	"informer-relist-loop": {said("informer.watchRefused"), said("informer.listSent"), said("read.passesOn"), said("informer.storeReplaced")},

	"informer-detector": {said("v3rpc.sent"), struck, said("informer.eventTaken")},

	"watch-list-six-seconds": {setBack("dispatch.endByTimerExpected"), said("dispatch.endFound"), said("dispatch.initialEventsSent")},
}

// TestStoriesContainTheirMechanism asks the notes, not their wording. Each story has its
// facts, and no row is left over.
func TestStoriesContainTheirMechanism(t *testing.T) {
	assert.ElementsMatch(t, storyNames(t), slices.Collect(maps.Keys(mechanisms)))
	for name, facts := range mechanisms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.NotEmpty(t, facts)
			lines := tellOnly(t, name).Lines
			for _, f := range facts {
				assert.True(t, slices.ContainsFunc(lines, f.in), "%+v is not told", f)
			}
		})
	}
}

func (f fact) in(l story.Line) bool {
	if f.fault {
		return l.Node == "fault"
	}
	return slices.ContainsFunc(l.Says, f.is)
}

func (f fact) is(n sim.Note) bool {
	if !slices.Contains(f.notes, sim.NoteName(n)) {
		return false
	}
	x, ok := n.(sim.Setback)
	return !f.setBack || ok && x.SetsBack()
}
