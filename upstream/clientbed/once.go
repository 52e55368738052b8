package clientbed

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/wire"
)

// once judges that the store was changed at most once for each put: clients write each value once, so that a value
// which was set at two revisions was put twice. The value may come back in between that another client has put. It is a
// claim of its own: for linearizability the second is a write like any other.
func (s *subject) once() explore.Finding {
	f := explore.Finding{Property: "once", Verdict: model.Holds}
	set := map[string]int64{}
	for rev := s.server.InitialRevision + 1; rev <= s.etcd.Revision(); rev++ {
		s.etcd.Changes(rev, func(kv *wire.KeyValue, deleted bool) {
			if deleted || !isDrawn(kv.Key) {
				return
			}
			f.Exercised++
			if before := set[kv.Value]; before != 0 && f.Verdict == model.Holds {
				f.Verdict, f.Label = model.Violated, "put-twice"
				f.Why = putTwice{kv.Key, kv.Value, before, rev}
			}
			set[kv.Value] = rev
		})
	}
	return f
}

type putTwice struct {
	key, value    string
	first, second int64
}

func (p putTwice) String() string {
	return fmt.Sprintf("the put of %s=%s was carried out at revision %d, and again at %d", p.key, p.value, p.first, p.second)
}
