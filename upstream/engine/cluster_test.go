package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/protocol"
)

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
	c.start()
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

	// The leader renews a lease, whichever member is asked.
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
