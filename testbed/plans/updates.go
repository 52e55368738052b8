package plans

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// updates are what the i-th client writes through its API server. It goes round the keys once it
// has written each of them in every way.
func (p *planner) updates(i int) []workload.Step {
	u := updater{planner: p, server: i, prefix: "u" + strconv.Itoa(i+1) + "."}
	ways := []func(key string, j int) workload.Step{u.add}
	if p.o.Updating.Kind == "every" {
		ways = []func(key string, j int) workload.Step{
			u.create, u.add, u.add, u.again, u.expected, u.conditional, u.removeHolding, u.addOrCreate, u.anew, u.removeConditional,
		}
	}
	var steps []workload.Step
	for j := range p.o.Updating.Updates {
		// Each client begins one way before the one ahead of it.
		way := i*(len(ways)-1) + j
		u.n = i + j/len(ways)
		steps = append(steps, ways[way%len(ways)](p.t.Key(u.n%max(1, p.o.Keys)), j))
	}
	return steps
}

// updater plans for one client.
type updater struct {
	*planner
	server int
	// n is the number of the key.
	n int
	// prefix is that of all members that the client adds.
	prefix string
}

func (u *updater) step(payload sim.Payload) workload.Step {
	return u.planner.step(u.t.Cache(u.server, u.n%max(1, u.o.Keys)), payload, Think(u.o))
}

// since is a step that is made of the object which the client knows, or is another one if it knows of
// none.
func (u *updater) since(key string, without workload.Step, of func(own *wire.KeyValue) sim.Payload) workload.Step {
	at := *u
	without.OwnKey, without.SinceOwn = key, func(own *wire.KeyValue) workload.Step { return at.step(of(own)) }
	return without
}

// member is the one of the j-th step. One of a step that there was not is that of the first.
func (u *updater) member(j int) string { return u.prefix + strconv.Itoa(max(0, j)) }

func (u *updater) create(key string, j int) workload.Step {
	return u.step(&wire.CreateRequest{Key: key, Value: u.member(j)})
}

func (u *updater) add(key string, j int) workload.Step {
	return u.step(&wire.GuaranteedUpdateRequest{Key: key, Add: u.member(j)})
}

func (u *updater) addOrCreate(key string, j int) workload.Step {
	return u.step(&wire.GuaranteedUpdateRequest{Key: key, Add: u.member(j), IgnoreNotFound: true})
}

// again adds the member of two steps before, which the object may still have.
func (u *updater) again(key string, j int) workload.Step { return u.add(key, j-2) }

// anew adds a member that an object had which was deleted since then.
func (u *updater) anew(key string, j int) workload.Step { return u.add(key, j-3) }

// expected adds to the object that the client knows, as a PUT does.
func (u *updater) expected(key string, j int) workload.Step {
	return u.since(key, u.add(key, j), func(own *wire.KeyValue) sim.Payload {
		return &wire.GuaranteedUpdateRequest{Key: key, Add: u.member(j), Expected: own.ModRevision}
	})
}

func (u *updater) conditional(key string, j int) workload.Step {
	return u.since(key, u.add(key, j), func(own *wire.KeyValue) sim.Payload {
		return &wire.GuaranteedUpdateRequest{Key: key, Add: u.member(j), Precondition: own.ModRevision}
	})
}

// removeHolding deletes an object to which the client has just added a member.
func (u *updater) removeHolding(key string, j int) workload.Step {
	return u.step(&wire.DeleteRequest{Key: key, Holding: u.member(j - 1)})
}

func (u *updater) removeConditional(key string, _ int) workload.Step {
	return u.since(key, u.step(&wire.DeleteRequest{Key: key}), func(own *wire.KeyValue) sim.Payload {
		return &wire.DeleteRequest{Key: key, Precondition: own.ModRevision}
	})
}
