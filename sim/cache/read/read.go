package read

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

type state uint8

const (
	free state = iota
	// gathered: waits for the others that share its question for etcd's revision.
	gathered
	// asking: etcd was asked for its revision (getCurrentRV).
	asking
	// waiting: in cond.Wait, until a broadcast.
	waiting
	// woken: out of cond.Wait, and not yet at the lock again.
	woken
	// delegated: etcd was asked the client's own question.
	delegated
)

// Read is one LIST or GET that could not be answered on the spot, or one watch
// that waits until the cache is fresh enough for it to begin.
type Read struct {
	d *Delegator
	// number is the read's own in the delegator, task and timer those that belong
	// to it.
	number int
	task   sim.Task
	timer  sim.Timer

	state state
	// Exactly one of list, get and watch is set.
	list  *wire.ListRequest
	get   *wire.GetRequest
	watch Watch
	// conn is the client's, call the one to etcd.
	conn, call sim.Conn
	from       sim.NodeID
	cause      sim.Cause
	// arrived is when the request came; it decides nothing but RequestTimeout.
	arrived sim.Time
	// consistent: the read must not be older than itself.
	consistent bool
	// unlimited: the limit of the list does not count.
	unlimited bool
	// exact is the one resourceVersion that the list is to be of, 0 if there is
	// none, and start the key that it begins at, for pages after the first.
	exact int64
	start string
	// wanted is the resourceVersion that the cache has to reach, began when the
	// read began to wait for it.
	wanted int64
	began  sim.Time
	// proof is the progress that proves the cache fresh in place of a
	// resourceVersion, 0 if there is none.
	proof int64
	// countsForProgress: progress is asked for while this read waits.
	countsForProgress bool
	// expired: its time has passed since the read began to wait.
	expired bool
	// origin says in whose name etcd answers, if it does.
	origin wire.Origin
	// selection is what was selected so far of a delegated list with a selector.
	selection *selection
}

// newRead finds room for a read. Numbers are small: they number the world's tasks
// and timers too.
func (d *Delegator) newRead(env *sim.Env) *Read {
	env.LooksAt(cellPlaces, 0)
	env.Writes(cellPlaces, 0)
	i := 0
	for i < len(d.reads) && d.reads[i].state != free {
		i++
	}
	if i == len(d.reads) {
		if i < cap(d.reads) {
			d.reads = d.reads[:i+1]
		} else {
			d.reads = append(d.reads, nil)
		}
		if d.reads[i] == nil {
			task, timer := d.cfg.Read(i)
			d.reads[i] = &Read{d: d, number: i, task: task, timer: timer}
		}
	}
	r := d.reads[i]
	env.Writes(cellWait, i)
	env.Writes(cellTurn, i)
	r.arrived = env.Now()
	return r
}

// forget frees the read's place.
func (r *Read) forget() {
	*r = Read{d: r.d, number: r.number, task: r.task, timer: r.timer}
}

// end frees the place of a read that is over.
func (r *Read) end(env *sim.Env) {
	env.Writes(cellPlaces, 0)
	env.Writes(cellWait, r.number)
	env.Writes(cellTurn, r.number)
	if r.state == delegated && r.list != nil {
		env.Writes(cellDelegated, 0)
	}
	r.forget()
}

// finish answers the client and ends the read.
func (r *Read) finish(env *sim.Env, answer sim.Payload) {
	env.Reads(cellWait, r.number)
	r.measure(env, answer)
	d, watch, list, conn := r.d, r.watch, r.list, r.conn
	r.end(env)
	if watch != nil {
		watch.Refused(env, answer.(*wire.Error))
		return
	}
	env.Send(conn, answer)
	d.cfg.Flow.Finished(env, conn)
	if list != nil {
		d.cfg.Checks.Compare(env, list, answer)
	}
}

// Refuse answers the client with an error and ends the read.
func (r *Read) Refuse(env *sim.Env, err *wire.Error) { r.finish(env, err) }

// String names the read's task and timer. A timer that was left behind has a name as well.
func (r *Read) String() string { return "read " + strconv.Itoa(r.number) + ": " + r.label() }

func (r *Read) label() string {
	switch {
	case r.list != nil:
		return r.list.Label()
	case r.watch != nil:
		return r.watch.Request().Label()
	case r.get != nil:
		return r.get.Label()
	}
	return "over"
}

// List is the LIST that the client asked for, nil if it was something else.
func (r *Read) List() *wire.ListRequest { return r.list }

// Consistent reports whether the read must not be older than itself.
func (r *Read) Consistent() bool { return r.consistent }

// Waits reports whether the read waits for the cache to be fresh.
func (r *Read) Waits() bool { return r.state == waiting || r.state == woken }

// operation is what is asked of etcd on behalf of the read.
func (r *Read) operation() traffic.Operation {
	switch {
	case r.state == asking:
		return traffic.CurrentRevision
	case r.get != nil:
		return traffic.GetForClient
	case r.exact > 0:
		return traffic.ListExact
	}
	return traffic.ListForClient
}
