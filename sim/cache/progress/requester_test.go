package progress_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/wire"
)

const (
	etcdID sim.NodeID = iota + 1
	hostID
)

// etcd answers each progress request with a notification that echoes its id, and
// keeps when it came.
type etcd struct{ asked []time.Duration }

func (e *etcd) Start(*sim.Env) {}
func (e *etcd) Receive(env *sim.Env, m *sim.Message) {
	if p, ok := m.Payload.(*wire.ProgressRequest); ok {
		e.asked = append(e.asked, time.Duration(env.Now()))
		env.Send(m.Conn, &wire.WatchEvent{Type: wire.Bookmark, ProgressID: p.ID})
	}
}
func (e *etcd) Run(*sim.Env, sim.Task)     {}
func (e *etcd) Fire(*sim.Env, sim.Timer)   {}
func (e *etcd) TaskName(sim.Task) string   { return "" }
func (e *etcd) TimerName(sim.Timer) string { return "" }

// host has a requester and reads that wait from one time to another.
type host struct {
	progress.Requester
	waits [][2]time.Duration
	// proofs are those of the reads when they begin, provedAt is when they came.
	proofs   []int64
	provedAt []time.Duration
	declared int
}

const (
	task       sim.Task  = 0
	timer      sim.Timer = 0
	firstTimer sim.Timer = 1
)

func (h *host) DeclareWaits(*sim.Env) { h.declared++ }

func (h *host) ProgressRequested(*sim.Env) {}

func (h *host) Start(env *sim.Env) {
	h.Reset(progress.Config{Watch: etcdID, Period: 100 * time.Millisecond, Task: task, Timer: timer, Waits: h})
	h.Requester.Start(env, 0)
	h.provedAt = make([]time.Duration, len(h.waits))
	h.proofs = make([]int64, len(h.waits))
	for i, w := range h.waits {
		env.Arm(firstTimer+sim.Timer(2*i), w[0])
		env.Arm(firstTimer+sim.Timer(2*i+1), w[1])
	}
}

func (h *host) Receive(env *sim.Env, m *sim.Message) {
	h.Heard(env, m.Payload.(*wire.WatchEvent).ProgressID)
	for i, proof := range h.proofs {
		if proof != 0 && h.provedAt[i] == 0 && h.Proved(env, proof) {
			h.provedAt[i] = time.Duration(env.Now())
		}
	}
}

func (h *host) Run(env *sim.Env, _ sim.Task) { h.Requester.Run(env) }

func (h *host) Fire(env *sim.Env, t sim.Timer) {
	switch n := int(t - firstTimer); {
	case t == timer:
		h.Requester.Fire(env)
	case n%2 == 0:
		h.proofs[n/2] = h.Proof(env)
		h.Add(env)
	default:
		h.Remove(env)
	}
}

func (h *host) TaskName(sim.Task) string     { return "requester" }
func (h *host) TimerName(t sim.Timer) string { return strconv.Itoa(int(t)) }

type first struct{}

func (first) Pick(*sim.World, []sim.Action) int  { return 0 }
func (first) Choose(*sim.World, int, string) int { return 0 }

const ms = time.Millisecond

// run lets reads wait, and returns when etcd was asked for progress.
func run(requests string, waits ...[2]time.Duration) (*host, []time.Duration) {
	h := &host{waits: waits}
	for i, v := range []string{"periodic", "once", "notify", "echo"} {
		if v == requests {
			h.Requester = progress.Requesters.Of(progress.Requests(i))()
		}
	}
	e := &etcd{}
	w := sim.NewWorld(sim.Options{Mode: sim.Timed})
	w.Add("etcd", e)
	w.Add("host", h)
	w.Start(first{})
	for w.Now() < sim.Time(2*time.Second) && w.Step(first{}) {
		continue
	}
	return h, e.asked
}

func TestRequestsComeOnceAPeriodWhileAReadWaits(t *testing.T) {
	h, asked := run("periodic", [2]time.Duration{350 * ms, 700 * ms})
	require.Equal(t, []time.Duration{350 * ms, 450 * ms, 550 * ms, 650 * ms}, asked, "the first at once, after idleness")
	require.Zero(t, h.declared, "cells are declared only for those that record them")
}

// The timer runs from the last request on, not from the arrival of a read.
func TestAReadThatComesEarlyWaitsForTheRestOfThePeriod(t *testing.T) {
	_, asked := run("periodic", [2]time.Duration{30 * ms, 120 * ms}, [2]time.Duration{150 * ms, 210 * ms})
	require.Equal(t, []time.Duration{100 * ms, 200 * ms}, asked)
}

func TestTwoReadsShareARequest(t *testing.T) {
	_, asked := run("periodic", [2]time.Duration{150 * ms, 190 * ms}, [2]time.Duration{160 * ms, 190 * ms})
	require.Equal(t, []time.Duration{150 * ms}, asked)
}

func TestOnceAsksForEachRead(t *testing.T) {
	_, asked := run("once", [2]time.Duration{10 * ms, 900 * ms}, [2]time.Duration{20 * ms, 900 * ms})
	require.Equal(t, []time.Duration{10 * ms, 20 * ms}, asked)
}

func TestNotifyNeverAsks(t *testing.T) {
	_, asked := run("notify", [2]time.Duration{10 * ms, 900 * ms})
	require.Empty(t, asked)
}

// The echo of a request that was sent before a read began proves nothing to it.
func TestEchoProvesReadsThatBeganBeforeTheRequest(t *testing.T) {
	h, asked := run("echo", [2]time.Duration{150 * ms, 390 * ms}, [2]time.Duration{151 * ms, 390 * ms})
	require.Equal(t, []time.Duration{150 * ms, 250 * ms, 350 * ms}, asked)
	require.Equal(t, []time.Duration{150 * ms, 250 * ms}, h.provedAt)
}
