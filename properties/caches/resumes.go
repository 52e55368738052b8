package caches

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/reflector"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// Resumes looks at caches whose watch of etcd has ended. A cache that lists again is not
// ready until it has, and costs etcd a list of everything: an election of etcd ended the
// watches of all resources for that (client-go's MaxInternalErrorRetryDuration, which
// the cacher sets to 30 seconds). The next watch begins where the last one has come to, by an
// event or a bookmark: an older resourceVersion may be compacted. It is exercised by each watch
// that ends.
var Resumes = testbed.RegisterProperty(&testbed.Property{
	Name: "cache-resumes", Kind: testbed.Safety,
	Promise:  "A cache whose watch of etcd ends lists again after a compaction, and else only after half a minute of other errors, or if the watch ended within a second without an event. Otherwise it watches from the newest resourceVersion that it was sent.",
	Violated: "cache resumes wrongly",
	Labels:   map[string]string{"expired": "no relist after a compaction", "relist": "needless relist of a cache", "position": "watch from another state"},
	Monitor:  testbed.Monitor{Runs: testbed.Untimed},
	New:      testbed.RecordedIn(testbed.CacheNode, resumes),
})

const (
	// maxInternalErrorRetry is how long errors are borne, veryShortWatch what is too short
	// for a watch (VeryShortWatchError).
	maxInternalErrorRetry = 30 * time.Second
	veryShortWatch        = time.Second
)

func resumes(s *testbed.System, w *sim.World, all *testbed.Tally) {
	for c, of := range testbed.Capable[cache.Following](s) {
		first := sim.Time(0)
		for _, e := range of.Endings() {
			if e.First {
				first = e.Over
			}
			all.Exercised++
			if e.Relisted && !relists(w, &e, first) {
				how := "closed"
				if e.Err != nil {
					how = "ended: " + e.Err.Message
				}
				all.Violatef("relist", testbed.Concern{Node: c.Name},
					"the watch of %s %s, after %d events; it lists again instead of watching from there", c.Name, how, e.Events)
				return
			}
			if e.Next != wire.Unset && e.Err != nil && e.Err.Code == wire.ErrCompacted {
				all.Violatef("expired", testbed.Concern{Node: c.Name, Revision: e.Next},
					"the watch of %s ended because of a compaction; it watches from %d again, instead of listing", c.Name, e.Next)
				return
			}
			if e.Next != wire.Unset && e.Next != e.Reached {
				all.Violatef("position", testbed.Concern{Node: c.Name, Revision: e.Reached},
					"%s was sent resourceVersion %d before its watch ended, and watches from %d", c.Name, e.Reached, e.Next)
				return
			}
		}
	}
}

// relists reports whether the end of a watch is a reason to list again; first is when
// the first of the errors since the list came.
func relists(w *sim.World, e *reflector.Ending, first sim.Time) bool {
	timed := w.Mode() == sim.Timed
	switch {
	case e.Err == nil:
		return e.Events == 0 && (!timed || e.Over.Sub(e.Began) < veryShortWatch)
	case e.Err.Code == wire.ErrCompacted:
		return true
	}
	return !e.First && (!timed || e.Over.Sub(first) > maxInternalErrorRetry)
}

// SecondToken looks at the tokens of refusals. A client whose page was compacted would have
// to begin its list again, and again if that takes longer than the history of etcd; with
// the second token it gets the rest as it is now, from where it stopped
// (handleCompactedErrorForPaging: resourceVersion -1). What the rest shows is judged by
// linearizable: it is a consistent read from where the page began. Upstream's token begins
// later if a selector made the page ask etcd again, which violates both: what the page had
// found is in no answer. It is exercised by pages that were compacted.
var SecondToken = testbed.RegisterProperty(&testbed.Property{
	Name: "second-token", Kind: testbed.Safety,
	Promise:  "A page that is refused because its revision was compacted comes with a token of the newest state that begins at the same key, and no other refusal has a token.",
	Violated: "list cannot be continued",
	Monitor:  testbed.Monitor{Runs: testbed.Untimed},
	New:      evidence.EachOperation(secondToken),
})

func secondToken(_ *evidence.Recorder, o *testbed.Operation, _ *evidence.Call, all *testbed.Tally) {
	list, ok := o.Message.(*wire.ListRequest)
	if !ok || o.Outcome != model.Failed {
		return
	}
	expired := o.Result.Err == model.Compacted && list.Continue != ""
	if expired {
		all.Exercised++
	}
	if wrong := wrongRest(list, o.Span.Rest, expired); wrong != "" {
		o.Violate(all, "", "%s's %s %s", list.Label(), wrong)
	}
}

// wrongRest says what is wrong with the token of a refusal, nothing if it is right.
func wrongRest(list *wire.ListRequest, rest string, expired bool) string {
	switch {
	case !expired && rest == "":
		return ""
	case !expired:
		return "is refused with a continue token, and no page of it was compacted"
	case rest == "":
		return "is refused because its revision was compacted, without a token for the rest"
	}
	asked, _ := tokenOf(list.Continue)
	switch token, err := tokenOf(rest); {
	case err != nil:
		return "is refused with a token that is none: " + err.Error()
	case token.Revision >= 0:
		return fmt.Sprintf("is refused with a token of revision %d, and not of the newest state", token.Revision)
	case token.Start != asked.Start:
		return fmt.Sprintf("is refused with a token of the rest from %q on, and its page begins at %q", token.Start, asked.Start)
	}
	return ""
}

// continueToken is a token as clients of Kubernetes see it (k8s.io/apiserver, pkg/storage/continue.go). A negative
// revision stands for the newest state.
type continueToken struct {
	Revision int64  `json:"rv"`
	Start    string `json:"start"`
}

func tokenOf(text string) (t continueToken, err error) {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(plain, &t)
	}
	return t, err
}
