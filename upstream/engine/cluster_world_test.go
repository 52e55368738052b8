package engine_test

import (
	"container/heap"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/disk"
	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

var clusterGuest = flag.String("cluster", "cluster@v3.6.16", "the guest that is a member of the cluster in tests")

// loadCluster is the compiled guest.
func loadCluster(t *testing.T) *engine.Module {
	directory, err := guests.Directory()
	require.NoError(t, err)
	if _, err := os.Stat(guests.Path(directory, *clusterGuest)); err != nil {
		t.Skipf("%s is not compiled", *clusterGuest)
	}
	m, err := loadedCluster()
	require.NoError(t, err)
	return m
}

var loadedCluster = sync.OnceValues(func() (*engine.Module, error) {
	return node.Load(*clusterGuest, protocol.Cluster, func(seed int64) []byte {
		return new(protocol.Writer).Begin(protocol.Start, 0).Int(seed).Text(`{"name":"m0","peers":[{"name":"m0","url":"http://10.0.0.1:2380"}],"dir":"/data"}`).Bytes
	})
})

// cluster are members and what is between them: each message takes a millisecond.
type cluster struct {
	t       *testing.T
	random  *rand.Rand
	now     int64
	events  events
	members []*clusterMember
	asked   uint32
	steps   int
	// snapshots are how many have arrived.
	snapshots int
	// calls are those between members, by their numbers in the world.
	calls map[uint32]reply
	// log has what members log be in the log of the test, configure is what is special about them.
	log       bool
	configure func(*protocol.Member)
}

type event struct {
	at    int64
	order int
	do    func()
}

type events struct {
	list  []event
	order int
}

func (e *events) Len() int { return len(e.list) }
func (e *events) Less(i, j int) bool {
	return e.list[i].at < e.list[j].at || e.list[i].at == e.list[j].at && e.list[i].order < e.list[j].order
}
func (e *events) Swap(i, j int) { e.list[i], e.list[j] = e.list[j], e.list[i] }
func (e *events) Push(x any)    { e.list = append(e.list, x.(event)) }
func (e *events) Pop() any {
	last := e.list[len(e.list)-1]
	e.list = e.list[:len(e.list)-1]
	return last
}

func (c *cluster) after(delay int64, do func()) {
	c.events.order++
	heap.Push(&c.events, event{c.now + delay, c.events.order, do})
}

const clusterLatency = int64(time.Millisecond)

// clusterMember is one process and its disk.
type clusterMember struct {
	*cluster
	name  string
	guest *engine.Guest
	disk  *disk.Disk
	// host is the one that the guest calls.
	host engine.Host
	id   uint64
	// life counts the processes, until is what the guest waits for. began is when its clock said 0.
	life  int
	until int64
	began int64
	// started, ready and stopped are what it says of itself.
	runs, located, started, ready bool
	stopped                       string
	answers                       map[uint32]*protocol.Reader
	failures                      map[uint32]string
	watched                       []string
}

func newCluster(t *testing.T, m *engine.Module, size int, seed uint64) *cluster {
	c := &cluster{t: t, random: rand.New(rand.NewPCG(seed, 0)), calls: map[uint32]reply{}, configure: func(*protocol.Member) {}}
	for range size {
		c.add(m)
	}
	return c
}

// add adds a member that does not run.
func (c *cluster) add(m *engine.Module) *clusterMember {
	g, err := m.NewGuest()
	require.NoError(c.t, err)
	added := &clusterMember{cluster: c, name: fmt.Sprintf("m%d", len(c.members)), guest: g, disk: disk.New(disk.Options{})}
	added.host = added
	c.members = append(c.members, added)
	return added
}

func clusterURL(i int) string { return fmt.Sprintf("http://10.0.0.%d:2380", i+1) }

// start starts the process of a member.
func (m *clusterMember) start() {
	of := protocol.Member{Name: m.name, Dir: "/data", PreVote: true, InitialElectionTickAdvance: true, Log: m.log}
	for i, other := range m.members {
		of.Peers = append(of.Peers, protocol.Peer{Name: other.name, URL: clusterURL(i)})
	}
	m.configure(&of)
	text, err := json.Marshal(of)
	require.NoError(m.t, err)
	m.runs, m.began, m.answers, m.failures = true, m.now, map[uint32]*protocol.Reader{}, map[uint32]string{}
	m.run(new(protocol.Writer).Begin(protocol.Start, 0).Int(int64(m.random.Uint64() >> 1)).Text(string(text)).Bytes)
}

// kill ends the process.
func (m *clusterMember) kill() {
	m.life++
	m.guest.Reset()
	m.disk.Kill()
	m.runs, m.located, m.started, m.ready, m.until, m.stopped = false, false, false, false, 0, ""
}

func (m *clusterMember) run(message []byte) {
	m.steps++
	until, err := m.guest.Run(m.host, m.now-m.began, message)
	if crash := new(engine.Crash); errors.As(err, &crash) {
		m.t.Log(crash.Output)
	}
	require.NoError(m.t, err, m.name)
	if until == 0 || until+m.began == m.until {
		return
	}
	m.until = until + m.began
	at, life := m.until, m.life
	m.after(max(at-m.now, 0), func() {
		if m.until == at && m.life == life {
			m.until = 0
			m.run(nil)
		}
	})
}

// tell has a member get a message after a while.
func (m *clusterMember) tell(w *protocol.Writer) {
	life := m.life
	m.after(clusterLatency, func() {
		if m.life == life {
			m.run(w.Bytes)
		}
	})
}

func (m *clusterMember) Pick(runnable []engine.Goroutine, _ bool) int {
	return m.random.IntN(len(runnable))
}
func (m *clusterMember) Select(_ engine.Goroutine, n int) int { return m.random.IntN(n) }
func (m *clusterMember) Lock(engine.Goroutine) bool           { return false }
func (m *clusterMember) CanSend(uint32) bool                  { return true }
func (m *clusterMember) Files() engine.Files                  { return m.disk }

func (m *clusterMember) Random(_ engine.Goroutine, p []byte) {
	for i := range p {
		p[i] = byte(m.random.Uint32())
	}
}

// of is the member with a raft id, nil if it is not there.
func (c *cluster) of(id uint64) *clusterMember {
	for _, m := range c.members {
		if m.id == id {
			return m
		}
	}
	return nil
}

func (m *clusterMember) Send(message []byte) {
	r := &protocol.Reader{Bytes: append([]byte(nil), message...)}
	kind, conn := r.Begin()
	switch kind {
	case protocol.Located:
		// The first one of a process is about itself.
		if id := uint64(r.Int()); !m.located {
			m.id, m.located = id, true
		}
	case protocol.Started:
		m.started = true
	case protocol.Ready:
		m.ready = true
	case protocol.Stopped:
		m.stopped, m.started = "stopped: "+r.Text(), false
	case protocol.Logged:
		m.t.Log(m.now/1e6, m.name, r.Text())
	case protocol.Raft:
		to, lane := m.of(uint64(r.Int())), r.Byte()
		for range 5 {
			r.Int()
		}
		r.Bool()
		if to != nil && to.started {
			to.tell(new(protocol.Writer).Begin(protocol.Raft, 0).Int(int64(m.id)).Byte(lane).Text(r.Text()))
		}
	case protocol.RaftSnapshot:
		to := m.of(uint64(r.Int()))
		r.Int()
		r.Int()
		if to == nil || !to.started {
			m.tell(new(protocol.Writer).Begin(protocol.SnapshotSent, conn).Bool(false))
			return
		}
		m.asked++
		m.calls[m.asked] = reply{m, conn}
		to.tell(new(protocol.Writer).Begin(protocol.RaftSnapshot, m.asked).Int(int64(m.id)).Text(r.Text()).Text(r.Text()))
	case protocol.SnapshotSent:
		arrived := r.Bool()
		if arrived {
			m.snapshots++
		}
		m.calls[conn].to.tell(new(protocol.Writer).Begin(protocol.SnapshotSent, m.calls[conn].conn).Bool(arrived))
	case protocol.PeerRequest:
		var to *clusterMember
		host := r.Text()
		for i, other := range m.members {
			if strings.Contains(clusterURL(i), host) {
				to = other
			}
		}
		if to == nil || !to.runs {
			m.tell(new(protocol.Writer).Begin(protocol.Failed, conn).Byte(protocol.Unavailable).Text("connection refused"))
			return
		}
		m.asked++
		m.calls[m.asked] = reply{m, conn}
		w := new(protocol.Writer).Begin(protocol.PeerRequest, m.asked)
		w.Bytes = append(w.Bytes, r.Bytes...)
		to.tell(w)
	case protocol.PeerResponse:
		to := m.calls[conn]
		w := new(protocol.Writer).Begin(protocol.PeerResponse, to.conn)
		w.Bytes = append(w.Bytes, r.Bytes...)
		if to.to == nil {
			m.answers[conn] = r
			return
		}
		to.to.tell(w)
	case protocol.Did:
		m.answers[conn] = r
	case protocol.Failed:
		if to := m.calls[conn]; to.to != nil {
			w := new(protocol.Writer).Begin(protocol.Failed, to.conn)
			w.Bytes = append(w.Bytes, r.Bytes...)
			to.to.tell(w)
			return
		}
		m.failures[conn] = fmt.Sprint(r.Byte(), " ", r.Text())
	case protocol.WatchResponse:
		revision, _, created, canceled := r.Int(), r.Int(), r.Bool(), r.Bool()
		r.Int()
		r.Text()
		r.Bool()
		m.watched = append(m.watched, fmt.Sprint(revision, created, canceled, r.Int()))
	case protocol.Closed:
		m.watched = append(m.watched, "closed")
	case protocol.CloseStream, protocol.Proposed, protocol.Applied:
	case protocol.Gone:
		if to := m.of(uint64(r.Int())); to != nil {
			to.tell(new(protocol.Writer).Begin(protocol.Gone, 0).Int(int64(m.id)))
		}
	default:
		require.Fail(m.t, "a message of another kind", kind)
	}
}

type reply struct {
	to   *clusterMember
	conn uint32
}

// wait lets the world go on until something is so, for at most this long.
func (c *cluster) wait(longest time.Duration, what string, so func() bool) {
	c.t.Helper()
	end := c.now + int64(longest)
	for !so() {
		require.NotZero(c.t, c.events.Len(), what)
		e := heap.Pop(&c.events).(event)
		require.Less(c.t, e.at, end, what)
		c.now = e.at
		e.do()
	}
}

// call has a member do something, and waits for what comes of it.
func (m *clusterMember) call(write func(w *protocol.Writer)) (did *protocol.Reader, failed string) {
	m.t.Helper()
	m.asked++
	conn := m.asked
	w := new(protocol.Writer).Begin(protocol.Do, conn)
	begin := len(w.Bytes)
	write(w)
	m.tell(w)
	m.wait(20*time.Second, "an answer", func() bool { return m.answers[conn] != nil || m.failures[conn] != "" })
	if did = m.answers[conn]; did != nil {
		require.Equal(m.t, w.Bytes[begin], did.Byte())
	}
	return did, m.failures[conn]
}

// ask has a member do something in which it succeeds.
func (m *clusterMember) ask(write func(w *protocol.Writer)) *protocol.Reader {
	m.t.Helper()
	did, failed := m.call(write)
	require.Empty(m.t, failed)
	return did
}

func (m *clusterMember) put(key, value string) int64 {
	m.t.Helper()
	return m.ask(putOf(key, value)).Int()
}

func putOf(key, value string) func(*protocol.Writer) {
	return func(w *protocol.Writer) {
		w.Byte(protocol.OpPut).Text(key).Text(value).Bool(false).Bool(false).Int(0).Bool(false)
	}
}

func (m *clusterMember) get(key string, serializable bool) (revision int64, value string) {
	m.t.Helper()
	r := m.ask(func(w *protocol.Writer) {
		w.Byte(protocol.OpRange).Text(key).Text("").Int(0).Int(0).Bool(serializable).Bool(false).Bool(false).Byte(0).Byte(0).Int(0).Int(0).Int(0).Int(0)
	})
	revision = r.Int()
	r.Bool()
	r.Int()
	if r.Int() > 0 {
		r.Text()
		value = r.Text()
	}
	return revision, value
}

// start starts all members, and waits until they have joined.
func (c *cluster) start() {
	c.t.Helper()
	for _, m := range c.members {
		m.start()
	}
	for _, m := range c.members {
		c.wait(20*time.Second, "all are ready", func() bool { return m.ready })
	}
}

// leader is the member that the first one follows.
func (c *cluster) leader() *clusterMember {
	c.t.Helper()
	var l *clusterMember
	for _, m := range c.members {
		if m.started && m.ready {
			l = c.of(m.status().leader)
			break
		}
	}
	require.NotNil(c.t, l)
	return l
}

type memberStatus struct {
	revision    int64
	version     string
	leader      uint64
	index, term int64
}

func (m *clusterMember) status() memberStatus {
	m.t.Helper()
	r := m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpStatus) })
	s := memberStatus{revision: r.Int(), version: r.Text()}
	r.Int()
	s.leader, s.index, s.term = uint64(r.Int()), r.Int(), r.Int()
	return s
}

func (m *clusterMember) hash() (hash int64) {
	m.t.Helper()
	r := m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpHashKV).Int(0) })
	r.Int()
	return r.Int()
}
