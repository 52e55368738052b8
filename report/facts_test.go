package report

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/sim"
)

// fact is something that a story has to say: a note of one of these Go types, and one
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

// missesDeletion is etcd-io/etcd#18089: a compaction removes the deletion at its revision,
// and a watch from there on is accepted and synced without it.
func missesDeletion(more ...fact) []fact {
	return append([]fact{noTombstone, unsynced, said("mvcc.becameSynced")}, more...)
}

// mechanisms are the facts without which a story does not say why it came so. Each case
// has a row: what the bug is, by its issue, and not what its story says today.
var mechanisms = map[string][]fact{
	// Bugs of etcd.
	"bug-issue-15220": overtaken(answers),
	// A watcher that was synced when the store was restored is sent old events again.
	"bug-issue-15271": {said("mvcc.restored"), said("mvcc.lostSync"), said("mvcc.posted")},
	"bug-issue-17507": neverAnswered(),
	"bug-issue-17529": {unsynced, said("mvcc.fellThrough"), said("mvcc.becameSynced"), said("mvcc.posted")},
	// The revision of a deletion that a compaction removed is given out again.
	"bug-issue-17780": {struck, noTombstone, said("mvcc.restored"), said("etcd.applied")},
	"bug-issue-18089": missesDeletion(lists, takesEarly),
	// A compaction that goes on after a restart does not know the deletion.
	"bug-issue-19179": {struck, said("mvcc.restored"), said("mvcc.tombstoneForgotten"), noTombstone, unsynced},
	// A watch from a revision that is still to come counts as synced, and is sent progress.
	"bug-issue-20221":        {lists, said("mvcc.registeredAhead"), said("mvcc.posted"), takesEarly, said("store.versionLowered")},
	"bug-issue-20221-events": {said("mvcc.registeredAhead"), said("mvcc.restored"), said("mvcc.lostSync"), said("mvcc.startLowered"), said("mvcc.posted")},
	"bug-issue-20693":        {unsynced, said("mvcc.negativeRange"), said("mvcc.becameSynced"), said("mvcc.posted")},
	// The value goes with the compaction, and the server that does not find it exits.
	"bug-issue-22376": {setBack("mvcc.valueRemoved"), setBack("mvcc.pairMissing"), said("mvcc.restored")},
	// Created comes from ctrlStream while progress waits in the watch channel.
	"bug-created-overtakes-progress": {said("mvcc.posted"), unsynced, said("v3rpc.overtook")},
	// Each chunk is a read transaction of its own, and something is written between two.
	"bug-chunks-unpinned":      {said("etcd.chunkRead"), said("etcd.applied"), lists},
	"bug-header-of-last-chunk": {said("etcd.chunkRead"), said("etcd.applied"), lists},

	// Bugs of the client library.
	"bug-decode-as-ready":             {said("etcd3.sentPast"), said("cache.takesIn")},
	"bug-bookmark-without-slot":       {said("etcd3.progressPasses"), takesEarly},
	"bug-decode-error-aside":          {said("etcd3.leftOut"), said("cache.takesIn")},
	"bug-stream-late-fallback":        {said("etcd.chunkRead"), said("etcd3.listsInPages"), lists},
	"bug-client-resume-repeats":       {struck, takesEarly, said("clientv3.watchResumes"), said("mvcc.registeredUnsynced"), said("cache.takesIn")},
	"bug-progress-of-another-stream":  {unsynced, said("clientv3.givenToOthers"), takesEarly},
	"bug-check-compares-names":        {said("check.checks"), lists},
	"bug-check-pages-of-newest-state": {said("check.checks"), said("check.differs"), said("etcd.applied")},
	"bug-options-after-watch":         {setBack("v3rpc.optionsUnknown")},
	"bug-watcher-missing-prevkv":      {unsynced, setBack("v3rpc.optionsUnknown"), said("etcd3.deletionDropped")},
	"bug-client-gives-up-reads":       {struck, said("etcd.failed"), said("clientv3.callFailed"), said("workload.OperationEnded")},
	// The member that is cut off keeps the watch, and nothing new comes from it.
	"bug-kubernetes-89488":      {struck, said("read.waits"), setBack("v3rpc.progressRefused")},
	"bug-client-refuses-writes": {struck, said("etcd.failed"), said("clientv3.callFailed"), said("etcd.applied"), said("workload.OperationEnded")},
	"bug-client-repeats-writes": {struck, said("etcd.failed"), said("etcd.applied"), said("clientv3.callRepeated")},

	// What etcd sends is not what its store says.
	"bug-deletes-count-one":            {said("etcd.applied"), said("v3rpc.altered")},
	"bug-new-value-as-previous":        {said("etcd.applied"), said("v3rpc.altered")},
	"bug-count-of-selection":           {said("v3rpc.altered")},
	"bug-events-share-value":           {said("etcd.applied"), said("v3rpc.altered")},
	"bug-deleted-without-value":        {said("v3rpc.altered")},
	"bug-revision-by-first-key":        {said("etcd.applied")},
	"bug-fragment-for-each-event":      {said("etcd.applied")},
	"bug-requested-revision-in-header": {said("v3rpc.altered")},
	"bug-leaderless-kept":              {struck},
	"bug-physical-after-first-batch":   {said("etcd.applied")},
	"bug-compaction-in-range":          {said("etcd.applied")},
	"bug-issue-17642":                  {struck, setBack("lease.LooksUpLeaderless")},
	"bug-lease-renewal-lost":           {setBack("lease.Renewed"), said("lease.RanOut")},
	"bug-promoted-leases-forgotten":    {setBack("lease.BeganToLead")},
	"bug-compaction-after-last":        {said("etcd.applied"), said("v3rpc.altered")},
	"bug-previous-of-created":          {said("v3rpc.altered")},
	// Another watch of the stream is sent events.
	"bug-ticks-elided-by-others":  {said("v3rpc.sent")},
	"bug-ticks-stop-after-events": {said("v3rpc.sent")},
	"bug-client-reopens-late":     {struck},
	"bug-issue-12385":             {setBack("v3rpc.refusedAs")},
	"bug-victims-left":            {said("mvcc.becameVictim"), setBack("mvcc.victimsLeft")},
	"bug-client-keeps-calls":      {setBack("clientv3.callKept")},
	"bug-client-keeps-watches":    {struck, setBack("clientv3.closingsLeft")},

	// An entry is applied twice.
	"bug-issue-13514": {struck, setBack("etcd.repeated"), said("etcd.applied")},

	// The store of the member lacks an entry.
	"bug-issue-13766": {struck, setBack("etcd.skipped"), said("etcd.applied")},

	// Bugs of the cache.
	"bug-kubernetes-105409":               {said("flowcontrol.seatsKept")},
	"bug-kubernetes-117137":               {said("read.waits"), setBack("read.lockedOut")},
	"bug-established-early":               {setBack("dispatch.establishedEarly")},
	"bug-kubernetes-116122":               {said("etcd3.watchEnds"), lists, setBack("dispatch.registered")},
	"bug-kubernetes-122805":               {said("read.heard"), setBack("dispatch.endByTimerExpected")},
	"bug-kubernetes-78029":                {said("dispatch.registered"), setBack("dispatch.stranded"), lists},
	"bug-kubernetes-114458":               {unsynced, setBack("v3rpc.progressRefused"), said("read.waits")},
	"bug-kubernetes-131011":               {said("etcd.applied"), answers},
	"bug-kubernetes-111116":               {said("etcd3.watchEnds")},
	"bug-initial-type-of-last-change":     {said("etcd.applied"), said("dispatch.initialEventsSent")},
	"bug-queue-times-out":                 {said("flowcontrol.queued"), said("flowcontrol.refused")},
	"bug-budget-unbounded":                {said("cache.takesIn")},
	"bug-etcd-20488":                      {lists, setBack("dispatch.registered")},
	"bug-kubernetes-49956":                {lists, setBack("dispatch.registered")},
	"bug-kubernetes-58545":                {said("cache.takesIn"), said("store.otherVersion"), said("workload.eventReceived")},
	"bug-kubernetes-59848":                {lists, said("read.unasked"), answers},
	"bug-kubernetes-35415":                {said("write.suggests"), said("workload.OperationEnded")},
	"bug-kubernetes-43152":                {said("write.suggests"), said("workload.OperationEnded")},
	"bug-kubernetes-48394":                {said("write.suggests"), said("workload.OperationEnded")},
	"bug-kubernetes-54780":                {said("write.suggests"), said("workload.OperationEnded")},
	"bug-kubernetes-77619":                {said("write.suggests"), said("workload.OperationEnded")},
	"bug-kubernetes-82303":                {said("write.suggests"), said("workload.OperationEnded")},
	"bug-kubernetes-89828-precondition":   {said("write.suggests"), said("workload.OperationEnded")},
	"bug-kubernetes-35415-deepcopy":       {said("write.suggests"), lists},
	"bug-kubernetes-89828-deleted-object": {said("write.suggests"), said("workload.OperationEnded")},
	"bug-kubernetes-138724":               {said("workload.OperationEnded")},
	"bug-kubernetes-123674":               {said("read.waits"), said("read.waitsSilently"), gaveUp},
	"bug-kubernetes-123676":               {said("read.heard"), said("read.waits"), gaveUp},
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
	"bug-revision-of-last-watch":          {said("read.heard"), said("etcd.applied"), said("read.otherReader"), said("dispatch.initialEventsSent")},
	"bug-stale-as-overload":               {said("read.heard"), gaveUp},
	"bug-revision-of-last-reader":         {said("read.heard"), said("etcd.applied"), said("read.otherReader"), answers},
	"bug-kubernetes-137631":               {said("cache.takesIn")},
	"bug-latch-covered":                   {said("dispatch.missed")},
	"bug-reinitialised-in-gap":            {said("cache.takesIn")},
	"bug-reinitialised-unchecked":         {said("dispatch.missed"), said("dispatch.replays")},
	"bug-groups-expire-together":          {said("dispatch.expired")},

	// Bugs of informers and compactors.
	"bug-kubernetes-91073":             {gaveUp, said("informer.listRefused"), said("informer.listSent")},
	"bug-kubernetes-100878":            {struck, said("informer.watchRefused"), said("informer.listSent")},
	"bug-kubernetes-135580":            {said("informer.detectorPanics")},
	"bug-kubernetes-126770":            {said("informer.wholeListed"), said("informer.storeReplaced")},
	"bug-informer-forgets-limit":       {said("informer.pageSent")},
	"bug-informer-ignores-bookmarks":   {said("informer.eventTaken"), said("informer.watchRefused"), said("informer.listSent")},
	"bug-informer-never-pauses":        {either("informer.watchRefused", "informer.listRefused"), said("informer.listSent")},
	"bug-informer-repeats-without-end": {either("informer.watchSent", "informer.listSent")},
	// Shared informers.
	"bug-kubernetes-115620":                {said("shared.told")},
	"bug-kubernetes-135462":                {said("informer.storeReplaced"), said("shared.processed")},
	"bug-kubernetes-136509":                {said("shared.processed")},
	"bug-kubernetes-137296":                {said("shared.handlerAdded"), said("shared.handlerRemoved"), said("shared.informerStopped")},
	"bug-informer-batches-an-object-twice": {said("shared.processed"), said("shared.told")},
	"bug-informer-batch-loses-a-delta":     {said("shared.processed")},
	"bug-informer-adds-handler-unlocked":   {said("shared.processed"), said("shared.handlerAdded"), said("shared.told")},
	"bug-informer-resync-resurrects":       {said("shared.processed")},
	"bug-informer-synced-too-early":        {said("shared.handlerSynced")},
	"bug-kubernetes-86015":                 {said("informer.watchRefused"), said("shared.processed")},
	"bug-informer-drops-tombstones":        {said("etcd.applied"), said("shared.processed")},
	"bug-informer-resyncs-at-each-look":    {said("shared.resyncQueued"), said("shared.told")},
	"bug-controller-acts-at-once":          {said("controller.acts"), said("controller.answered"), said("controller.acts")},
	"bug-controller-records-what-it-read":  {said("controller.acts"), said("controller.answered"), said("controller.acts")},
	"bug-kubernetes-28202":                 {said("compactor.uncontested"), said("etcd.applied")},
	"bug-compacts-present-revision":        {said("compactor.tryWon"), said("etcd.applied")},

	// Progress overtakes events, in one scenario after the other.
	"issue-15220":               overtaken(said("v3rpc.overtook"), answers),
	"issue-15220-catching-up":   overtaken(unsynced),
	"outages-3.5.7":             overtaken(answers),
	"paged-lists-3.5.7":         overtaken(answers),
	"snapshot-reads-3.5.7":      overtaken(answers),
	"compacted-history-3.5.7":   overtaken(answers),
	"cost-quiet-3.5.7":          overtaken(answers),
	"watch-guarantees-3.5.7":    {eventWaits, earlyAhead, said("workload.etcdAnswered")},
	"watch-list-3.5.7":          overtaken(said("dispatch.initialEventsSent")),
	"watch-list-slow-3.5.7":     overtaken(said("dispatch.initialEventsSent")),
	"informer-cold-start-3.5.7": overtaken(said("informer.storeReplaced")),
	"informer-resume-3.5.7":     overtaken(either("informer.storeReplaced", "informer.eventTaken")),
	"informer-moves-3.5.7":      overtaken(said("informer.eventTaken")),
	// One API server is wrong beside one that is right.
	"rollout-compactors-3.5.7":      overtaken(answers),
	"rollout-to-stale":              {struck, lists, said("read.unasked"), answers},
	"rollout-gate-stale":            {lists, said("read.unasked"), answers},
	"rollout-snapshots-newest-page": {answers, said("cache.takesIn"), said("read.otherState")},
	"informer-fallback-3.5.7":       overtaken(said("informer.storeReplaced")),
	"guard-downgrade":               overtaken(said("guard.versionHeard"), said("mvcc.restored"), unsynced),
	"guard-mixed-members":           overtaken(answers),

	// Progress that is asked for never comes.
	"issue-17507":                  neverAnswered(),
	"watch-list-ends-3.5.12":       neverAnswered(gaveUp),
	"guard-cascade-limited-3.5.12": neverAnswered(gaveUp, said("read.refusesDelegation")),

	// A deletion is missed.
	"outages-3.5.13":          missesDeletion(said("cache.takesIn")),
	"informer-expired-3.5.13": missesDeletion(said("cache.takesIn"), said("informer.storeReplaced")),

	"watch-guarantees-3.5.7-reliable": {unsynced, said("mvcc.fellThrough")},
	"shared-stream":                   {said("mvcc.posted"), unsynced, said("v3rpc.overtook"), takesEarly},

	// The clients ask for what they are given.
	"stale-list":                 {lists, said("etcd.applied"), answers},
	"stale-own-write":            {lists, said("etcd.applied"), answers},
	"stale-own-write-sequential": {lists, said("etcd.applied"), answers},
	"time-travel":                {lists, said("etcd.applied"), answers},
	"informer-time-travel":       {said("informer.serverChanged"), answers, said("informer.storeReplaced")},
	"informer-relist-loop":       {said("informer.watchRefused"), said("informer.listSent"), said("read.passesOn"), said("informer.storeReplaced")},

	// A fault that no cache can bear.
	"competing-compactors-3.5.7": overtaken(answers),
	"lost-event":                 {said("v3rpc.sent"), struck, answers},
	"lost-event-recovers":        {said("v3rpc.sent"), struck, answers},
	"informer-detector":          {said("v3rpc.sent"), struck, said("informer.eventTaken")},

	"watch-list-six-seconds": {setBack("dispatch.endByTimerExpected"), said("dispatch.endFound"), said("dispatch.initialEventsSent")},
	// The reads of a stale cache fall back to etcd, which cannot answer them all.
	"guard-cascade": {struck, gaveUp, said("read.fellBack"), said("etcd.rangeQueued"), said("workload.listAbandoned")},
}

// TestStoriesContainTheirMechanism asks the notes, not their wording. Each case has its
// facts.
func TestStoriesContainTheirMechanism(t *testing.T) {
	for _, c := range storyCases(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			facts := mechanisms[c.name]
			assert.NotEmpty(t, facts, "%s has no facts", c.name)
			lines := tellOnly(t, c.name).Lines
			for _, f := range facts {
				assert.True(t, slices.ContainsFunc(lines, f.in), "%s is not told: %+v", c.name, f)
			}
		})
	}
}

// TestFactsAreOfStories: no row is left over.
func TestFactsAreOfStories(t *testing.T) {
	for name := range mechanisms {
		assert.True(t, slices.ContainsFunc(storyCases(t), func(c *storyCase) bool { return c.name == name }), name)
	}
}

func (f fact) in(l story.Line) bool {
	if f.fault {
		return l.Node == "fault"
	}
	return slices.ContainsFunc(l.Says, f.is)
}

func (f fact) is(n sim.Note) bool {
	if !slices.Contains(f.notes, fmt.Sprintf("%T", n)) {
		return false
	}
	x, ok := n.(sim.Setback)
	return !f.setBack || ok && x.SetsBack()
}
