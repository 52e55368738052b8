package engine_test

import (
	"container/heap"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/disk"
	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/protocol"
)

var clusterGuest = flag.String("cluster", "cluster@v3.6.16", "the guest that is a member of the cluster in tests")

// loadCluster is the compiled guest.
func loadCluster(t *testing.T) *engine.Module {
	directory, err := guests.Directory()
	require.NoError(t, err)
	wasm, err := os.ReadFile(guests.Path(directory, *clusterGuest))
	if os.IsNotExist(err) {
		t.Skipf("%s is not compiled", *clusterGuest)
	}
	require.NoError(t, err)
	m, err := engine.Load(wasm, filepath.Join(directory, "compiled", *clusterGuest))
	require.NoError(t, err)
	return m
}

// cluster are members and what is between them: each message takes a millisecond.
type cluster struct {
	t       *testing.T
	random  *rand.Rand
	now     int64
	events  events
	members []*clusterMember
	asked   uint32
	steps   int
	log     bool
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
	id    uint64
	// life counts the processes, until is what the guest waits for.
	life  int
	until int64
	began int64
	// said are the kinds of messages that came, answers those to calls.
	started, ready bool
	stopped        string
	answers        map[uint32]*protocol.Reader
	failures       map[uint32]string
	watched        []string
}

func newCluster(t *testing.T, m *engine.Module, size int, seed uint64) *cluster {
	c := &cluster{t: t, random: rand.New(rand.NewPCG(seed, 0))}
	for i := range size {
		g, err := m.NewGuest()
		require.NoError(t, err)
		c.members = append(c.members, &clusterMember{cluster: c, name: fmt.Sprintf("m%d", i), guest: g, disk: disk.New(disk.Options{})})
	}
	return c
}

func clusterURL(i int) string { return fmt.Sprintf("http://10.0.0.%d:2380", i+1) }

// start starts the process of a member.
func (m *clusterMember) start(configure ...func(*protocol.Member)) {
	of := protocol.Member{Name: m.name, Dir: "/data", PreVote: true, InitialElectionTickAdvance: true, Log: m.log}
	for i, other := range m.members {
		of.Peers = append(of.Peers, protocol.Peer{Name: other.name, URL: clusterURL(i)})
	}
	for _, f := range configure {
		f(&of)
	}
	text, err := json.Marshal(of)
	require.NoError(m.t, err)
	m.began, m.answers, m.failures = m.now, map[uint32]*protocol.Reader{}, map[uint32]string{}
	m.run(new(protocol.Writer).Begin(protocol.Start, 0).Int(int64(m.random.Uint64() >> 1)).Text(string(text)).Bytes)
}

// kill ends the process.
func (m *clusterMember) kill() {
	m.life++
	m.guest.Reset()
	m.disk.Kill()
	m.started, m.ready, m.until = false, false, 0
}

func (m *clusterMember) run(message []byte) {
	m.steps++
	until, err := m.guest.Run(m, m.now-m.began, message)
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

// of is the member with a raft id or with an address, nil if it is not there.
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
	case protocol.Started:
		r.Text()
		m.id, m.started = uint64(r.Int()), true
	case protocol.Ready:
		m.ready = true
	case protocol.Stopped:
		m.stopped = r.Text()
		m.t.Log(m.name, "stopped:", m.stopped)
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
		calls[m.asked] = reply{m, conn}
		to.tell(new(protocol.Writer).Begin(protocol.RaftSnapshot, m.asked).Int(int64(m.id)).Text(r.Text()).Text(r.Text()))
	case protocol.SnapshotSent:
		calls[conn].to.tell(new(protocol.Writer).Begin(protocol.SnapshotSent, calls[conn].conn).Bool(r.Bool()))
	case protocol.PeerRequest:
		var to *clusterMember
		host := r.Text()
		for i, other := range m.members {
			if strings.Contains(clusterURL(i), host) {
				to = other
			}
		}
		if to == nil || to.life < 0 || to.answers == nil {
			m.tell(new(protocol.Writer).Begin(protocol.Failed, conn).Byte(protocol.Unavailable).Text("connection refused"))
			return
		}
		m.asked++
		calls[m.asked] = reply{m, conn}
		w := new(protocol.Writer).Begin(protocol.PeerRequest, m.asked)
		w.Bytes = append(w.Bytes, r.Bytes...)
		to.tell(w)
	case protocol.PeerResponse:
		to := calls[conn]
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
		if to := calls[conn]; to.to != nil {
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
	case protocol.CloseStream:
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

// calls are between members.
var calls = map[uint32]reply{}

// until lets the world go on until something is so, for at most this long.
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

// ask has a member do something.
func (m *clusterMember) ask(write func(w *protocol.Writer)) *protocol.Reader {
	m.t.Helper()
	m.asked++
	conn := m.asked
	w := new(protocol.Writer).Begin(protocol.Do, conn)
	write(w)
	m.tell(w)
	m.wait(20*time.Second, "an answer", func() bool { return m.answers[conn] != nil || m.failures[conn] != "" })
	require.Empty(m.t, m.failures[conn])
	r := *m.answers[conn]
	require.Equal(m.t, w.Bytes[len(new(protocol.Writer).Begin(protocol.Do, conn).Bytes)], r.Byte())
	return &r
}

func (m *clusterMember) put(key, value string) int64 {
	m.t.Helper()
	return m.ask(func(w *protocol.Writer) {
		w.Byte(protocol.OpPut).Text(key).Text(value).Bool(false).Bool(false).Int(0).Bool(false)
	}).Int()
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

// TestAMemberAlone: the services of a whole server answer, and after a kill it has what it had.
func TestAMemberAlone(t *testing.T) {
	at := time.Now()
	lap := func(what string, n int) {
		t.Logf("%s: %v each", what, time.Since(at)/time.Duration(n))
		at = time.Now()
	}
	module := loadCluster(t)
	lap("load", 1)
	c := newCluster(t, module, 1, 1)
	c.log = testing.Verbose()
	lap("boot", 1)
	m := c.members[0]
	m.start()
	c.wait(20*time.Second, "it is ready", func() bool { return m.ready })
	lap("start", 1)
	s := m.status()
	require.Equal(t, m.id, s.leader)
	require.Contains(t, *clusterGuest, s.version)
	first := m.put("a", "1")
	lap("calls", 2)
	for i := range 100 {
		m.put("b", fmt.Sprint(i))
	}
	lap("puts", 100)
	for range 100 {
		m.get("b", false)
	}
	lap("gets", 100)
	before := c.steps
	c.wait(time.Hour, "ten seconds", func() bool { return c.now > int64(time.Minute) })
	t.Logf("%d steps", c.steps-before)
	lap("idle minute", 1)

	watch := uint32(1000000)
	m.tell(new(protocol.Writer).Begin(protocol.CreateWatch, watch).Text("b").Text("").Int(first + 1).Bool(false).Byte(0).Bool(true).Int(0).Bool(false))
	c.wait(time.Second, "the watch has all", func() bool { return len(m.watched) >= 2 })
	require.Equal(t, []string{fmt.Sprint(first+100, " ", true, " ", false, " ", 0), fmt.Sprint(first+100, " ", false, " ", false, " ", 100)}, m.watched)
	m.tell(new(protocol.Writer).Begin(protocol.Hangup, watch))

	r := m.ask(func(w *protocol.Writer) {
		w.Byte(protocol.OpTxn).Int(1).Text("a").Text("").Byte(0).Byte(0).Int(1).Text("").Int(1).
			Byte(protocol.OpPut).Text("a").Text("2").Bool(true).Bool(false).Int(0).Bool(false).Int(0)
	})
	require.Equal(t, first+101, r.Int())
	require.True(t, r.Bool())
	require.EqualValues(t, 1, r.Int())
	require.Equal(t, protocol.OpPut, r.Byte())

	require.Equal(t, first+101, m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpCompact).Int(first + 50).Bool(true) }).Int())
	r = m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpGrant).Int(77).Int(30) })
	r.Int()
	require.EqualValues(t, 77, r.Int())
	r = m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpKeepAlive).Int(77) })
	r.Int()
	require.EqualValues(t, 77, r.Int())
	require.EqualValues(t, 30, r.Int())
	r = m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpTimeToLive).Int(77).Bool(true) })
	r.Int()
	require.EqualValues(t, 77, r.Int())
	m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpRevoke).Int(77) })
	require.EqualValues(t, 1, m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpMemberList).Bool(true) }).Int())
	m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpAlarm).Byte(0).Int(0).Byte(0) })
	m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpDefragment) })
	hash := m.hash()
	require.NotZero(t, hash)

	m.kill()
	at = time.Now()
	m.start()
	c.wait(20*time.Second, "it is ready again", func() bool { return m.ready })
	lap("restart", 1)
	require.Equal(t, hash, m.hash())
	revision, value := m.get("a", false)
	require.Equal(t, first+101, revision)
	require.Equal(t, "2", value)
	t.Log(m.disk.Paths())
}

// TestThreeMembers: they elect a leader, have the same data, and answer each other's requests.
func TestThreeMembers(t *testing.T) {
	c := newCluster(t, loadCluster(t), 3, 2)
	at := time.Now()
	for _, m := range c.members {
		m.start()
	}
	c.wait(20*time.Second, "all are ready", func() bool { return c.members[0].ready && c.members[1].ready && c.members[2].ready })
	t.Logf("ready after %v of simulated time: %v", time.Duration(c.now), time.Since(at))
	for i, m := range c.members {
		for k := range 10 {
			m.put(fmt.Sprint("key", k), fmt.Sprint(i))
		}
	}
	at = time.Now()
	for range 100 {
		c.members[0].put("b", "c")
	}
	t.Logf("a put takes %v", time.Since(at)/100)
	leader := c.members[0].status().leader
	require.NotNil(t, c.of(leader))
	for _, m := range c.members {
		_, value := m.get("key9", false)
		require.Equal(t, "2", value)
		require.Equal(t, leader, m.status().leader)
		require.Equal(t, c.members[0].hash(), m.hash())
	}
	var other *clusterMember
	for _, m := range c.members {
		if m.id != leader {
			other = m
		}
	}
	c.of(leader).ask(func(w *protocol.Writer) { w.Byte(protocol.OpMoveLeader).Int(int64(other.id)) })
	require.Equal(t, other.id, other.status().leader)

	// A lease is renewed by the leader, whoever is asked.
	c.members[0].ask(func(w *protocol.Writer) { w.Byte(protocol.OpGrant).Int(77).Int(30) })
	for _, m := range c.members {
		r := m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpKeepAlive).Int(77) })
		r.Int()
		require.EqualValues(t, 77, r.Int())
		require.EqualValues(t, 30, r.Int())
	}

	other.kill()
	for _, m := range c.members {
		if m != other {
			m.tell(new(protocol.Writer).Begin(protocol.Unreachable, 0).Int(int64(other.id)))
		}
	}
	last := c.of(leader)
	c.wait(30*time.Second, "a new leader", func() bool { s := last.status().leader; return s != 0 && s != other.id })
	last.put("key0", "last")
	other.start()
	c.wait(30*time.Second, "it is back", func() bool { return other.ready })
	_, value := other.get("key0", false)
	require.Equal(t, "last", value)
	require.Equal(t, last.hash(), other.hash())
}
