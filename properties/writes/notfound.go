package writes

import (
	"fmt"

	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// NotFoundVersions looks at the resourceVersion of the error that there is no such object. Only
// callers of the storage see it, such as a cache above it. It is exercised by such errors.
var NotFoundVersions = testbed.RegisterProperty(&testbed.Property{
	Name: "not-found-versions", Kind: testbed.Safety,
	Promise:   "The error of a write that finds no object has the resourceVersion of a state without it, between request and answer.",
	Violated:  "error of another state",
	Labels:    map[string]string{"version": "error of another state"},
	Past:      pastOf,
	TimedPast: pastOf,
	Remembers: true,
	New:       judgeOf(lookAtNotFound),
})

func lookAtNotFound(w *write, all *testbed.Tally) {
	err, refused := w.answer.(*wire.Error)
	if !refused || err.Code != wire.KeyNotFound {
		return
	}
	all.Exercised++
	if rev := err.ResourceVersion; rev < w.from || rev > w.to || w.at(rev) != nil {
		all.Violate("version", &wrongVersion{w, rev})
	}
}

// wrongVersion is an error with a resourceVersion of another state.
type wrongVersion struct {
	*write
	revision int64
}

func (v *wrongVersion) String() string {
	return fmt.Sprintf("%s asked for %s and was told that there is no such object at resourceVersion %d; etcd was at %d when that was asked, and at %d when it was answered",
		v.client, v.request.Label(), v.revision, v.from, v.to)
}
