package caches

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// SecondToken looks at the tokens of refusals. A client whose page was compacted would have
// to begin its list again, and again if that takes longer than the history of etcd; with
// the second token it gets the rest as it is now, from where it stopped
// (handleCompactedErrorForPaging: resourceVersion -1). What the rest shows is judged by
// linearizable: it is a consistent read from where the page began. Upstream's token begins
// later if a selector made the page ask etcd again, which violates both: what the page had
// found is in no answer. It is exercised by pages that were compacted.
var SecondToken = testbed.RegisterProperty(&testbed.Property{
	Name: "second-token", Kind: testbed.Safety,
	Promise:   "A page that is refused because its revision was compacted comes with a token of the newest state that begins at the same key, and no other refusal has a token.",
	Violated:  "list cannot be continued",
	Past:      testbed.NoPast,
	Remembers: true,
	New:       func(s *testbed.System) testbed.Judge { return &secondToken{s, moments.Of(s)} },
})

type secondToken struct {
	system  *testbed.System
	moments *moments.Recorder
}

// Reset implements testbed.Judge.
func (*secondToken) Reset() {}

// Finding implements testbed.Judge.
func (j *secondToken) Finding(*sim.World) explore.Finding {
	var all testbed.Tally
	for i, c := range j.system.Clients() {
		ops, spans := c.Operations(), c.Spans()
		for k := range ops {
			op := &ops[k]
			list, ok := j.moments.Operations(i)[k].Request.(*wire.ListRequest)
			if !ok || op.Outcome != model.Failed {
				continue
			}
			expired := op.Result.Err == model.Compacted && list.Continue != ""
			if expired {
				all.Exercised++
			}
			if wrong := wrongRest(list, spans[k].Rest, expired); wrong != "" {
				all.Violate("", &wrongPage{client: c.Name(), call: op.Call, list: list, wrong: wrong})
			}
		}
	}
	return all.Finding()
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
	prefix := store.PreparePrefix(list.Prefix)
	_, from, _ := request.DecodeContinue(list.Continue, prefix)
	version, key, bad := request.DecodeContinue(rest, prefix)
	switch {
	case bad != nil:
		return "is refused with a token that is none: " + bad.Message
	case version >= 0:
		return fmt.Sprintf("is refused with a token of revision %d, and not of the newest state", version)
	case key != from:
		return fmt.Sprintf("is refused with a token of the rest from %q on, and its page begins at %q", key, from)
	}
	return ""
}
