package variant

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
)

// FutureRVConfirm first asks etcd whether there is such a revision.
var FutureRVConfirm = read.FutureRevisions.Register("confirm", "etcd is asked first whether there is such a revision", confirm)

func confirm(env *sim.Env, r *read.Read) {
	if r.Exact() > r.Delegator().Config().Store.ResourceVersion(env) {
		env.Cover(futureConfirmed)
		r.Delegator().Share(env, r)
		return
	}
	r.WaitUntilFresh(env, r.Exact())
}

var futureConfirmed = sim.NewSituation("cache: etcd asked whether a future revision exists")
