package report

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/sim"
)

// fact is something that a story has to say: a note of this Go type, and one that
// says of itself that something is set back if that is asked for.
type fact struct {
	note    string
	setBack bool
}

func said(note string) fact    { return fact{note: note} }
func setBack(note string) fact { return fact{note, true} }

// What is said in several stories.
var (
	unsynced   = said("mvcc.registered")
	earlyAhead = said("v3rpc.progressAnswered")
	lists      = said("store.listed")
	takesEarly = said("cache.takesProgress")
)

// mechanisms are the facts without which a story does not say why it came so.
var mechanisms = map[string][]fact{
	"bug-kubernetes-117137":           {said("read.waits"), setBack("watch.lockedOut")},
	"bug-kubernetes-116122":           {said("etcd3.watchEnds"), lists, setBack("dispatch.registered")},
	"bug-kubernetes-122805":           {said("read.heard"), setBack("variant.endByTimerExpected")},
	"bug-kubernetes-78029":            {said("dispatch.registered"), setBack("watch.stranded"), lists},
	"bug-kubernetes-114458":           {unsynced, setBack("v3rpc.progressRefused"), said("read.waits")},
	"bug-kubernetes-123532":           {unsynced, setBack("v3rpc.progressRefused"), said("read.waits")},
	"bug-kubernetes-131011":           {said("etcd.applied"), said("read.answers")},
	"bug-etcd-20488":                  {lists, setBack("dispatch.registered")},
	"bug-kubernetes-49956":            {lists, setBack("dispatch.registered")},
	"bug-watcher-missing-prevkv":      {unsynced, setBack("v3rpc.optionsUnknown"), said("etcd3.deletionDropped")},
	"bug-options-after-watch":         {setBack("v3rpc.optionsUnknown")},
	"bug-client-refuses-writes":       {said("etcd.failed"), said("clientv3.callFailed")},
	"bug-client-repeats-writes":       {said("etcd.failed"), said("clientv3.callRepeated")},
	"bug-store-without-snapshot":      {setBack("store.notKept"), said("read.answers")},
	"bug-check-compares-names":        {said("check.checks"), lists},
	"bug-check-pages-of-newest-state": {said("check.checks"), said("check.differs"), said("etcd.applied")},
	"bug-issue-17507":                 {unsynced, setBack("v3rpc.progressRefused"), setBack("mvcc.becameSynced")},
	"bug-issue-15220":                 {unsynced, earlyAhead, takesEarly},
	"bug-version-before-store":        {said("ingestion.versionOnly"), said("read.answers")},
	"issue-17507":                     {unsynced, setBack("v3rpc.progressRefused"), setBack("mvcc.becameSynced")},
	"informer-relist-loop":            {said("informer.watchRefused"), said("informer.listSent"), said("informer.storeReplaced")},
	"rewatch":                         {unsynced, said("v3rpc.sent")},
	"guard-downgrade":                 {said("guard.versionHeard"), said("mvcc.restored"), unsynced, earlyAhead, takesEarly},
	"guard-mixed-members":             {unsynced, earlyAhead, takesEarly},
	"guard-unasked-member":            {said("guard.versionHeard"), said("mvcc.restored"), unsynced, earlyAhead, takesEarly},
	"recovery-3.5.12":                 {unsynced, setBack("v3rpc.progressRefused")},
	"quiet-get-3.5.12":                {unsynced, setBack("v3rpc.progressRefused"), setBack("mvcc.becameSynced")},
}

// TestStoriesContainTheirMechanism asks the notes, not their wording.
func TestStoriesContainTheirMechanism(t *testing.T) {
	for name, facts := range mechanisms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := tellOnly(t, name).Lines
			for _, f := range facts {
				assert.True(t, slices.ContainsFunc(lines, func(l story.Line) bool { return slices.ContainsFunc(l.Says, f.is) }), "%s is not told: %+v", name, f)
			}
		})
	}
}

func (f fact) is(n sim.Note) bool {
	if fmt.Sprintf("%T", n) != f.note {
		return false
	}
	x, ok := n.(sim.Setback)
	return !f.setBack || ok && x.SetsBack()
}
