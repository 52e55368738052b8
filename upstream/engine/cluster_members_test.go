package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// TestASnapshotOfADatabase: a member that was away for longer than the log of the leader reaches is given the database.
func TestASnapshotOfADatabase(t *testing.T) {
	c := newCluster(t, loadCluster(t), 3, 3)
	c.configure = func(of *protocol.Member) { of.SnapshotCount, of.SnapshotCatchUpEntries = 10, 5 }
	c.start()
	leader := c.leader()
	away := c.members[0]
	if away == leader {
		away = c.members[1]
	}
	away.kill()
	leader.tell(new(protocol.Writer).Begin(protocol.Unreachable, 0).Int(int64(away.id)))
	for i := range 100 {
		leader.put(fmt.Sprint("key", i%10), strings.Repeat(fmt.Sprint(i), 1000))
	}
	away.start()
	c.wait(30*time.Second, "it is back", func() bool { return away.ready })
	_, value := away.get("key9", false)
	require.Equal(t, strings.Repeat("99", 1000), value)
	require.Equal(t, leader.hash(), away.hash())
	require.NotZero(t, c.snapshots, "a snapshot has been sent")
	away.kill()
	away.start()
	c.wait(30*time.Second, "it is back again", func() bool { return away.ready })
	require.Equal(t, leader.hash(), away.hash())
}

// TestMembersComeAndGo: a learner joins, is promoted and removed. One that is removed while it does not run is told so
// when it runs again.
func TestMembersComeAndGo(t *testing.T) {
	module := loadCluster(t)
	c := newCluster(t, module, 3, 4)
	c.start()
	// Members that have not been connected for a while are not healthy enough for a change.
	now := c.now
	c.wait(time.Minute, "some seconds", func() bool { return c.now > now+int64(6*time.Second) })
	leader := c.leader()
	for i := range 10 {
		leader.put("key", fmt.Sprint(i))
	}
	r := leader.ask(func(w *protocol.Writer) { w.Byte(protocol.OpMemberAdd).Int(1).Text(clusterURL(3)).Bool(true) })
	id := r.Int()
	require.EqualValues(t, 4, r.Int())
	learner := c.add(module)
	c.configure = func(of *protocol.Member) { of.Existing = true }
	learner.start()
	c.wait(20*time.Second, "it has joined", func() bool { return learner.ready })
	require.Equal(t, uint64(id), learner.id)
	_, value := learner.get("key", true)
	require.Equal(t, "9", value)
	_, failed := learner.call(putOf("key", "x"))
	require.Contains(t, failed, "etcdserver: rpc not supported for learner")
	require.EqualValues(t, 4, leader.ask(func(w *protocol.Writer) { w.Byte(protocol.OpMemberPromote).Int(id) }).Int())
	learner.put("key", "promoted")
	now = c.now
	c.wait(time.Minute, "some seconds", func() bool { return c.now > now+int64(6*time.Second) })
	require.EqualValues(t, 3, leader.ask(func(w *protocol.Writer) { w.Byte(protocol.OpMemberRemove).Int(id) }).Int())
	c.wait(20*time.Second, "it has stopped", func() bool { return learner.stopped != "" })
	t.Log(learner.stopped)
	learner.kill()

	other := c.members[0]
	if other == leader {
		other = c.members[1]
	}
	other.kill()
	leader.ask(func(w *protocol.Writer) { w.Byte(protocol.OpMemberRemove).Int(int64(other.id)) })
	c.configure = func(*protocol.Member) {}
	other.start()
	c.wait(30*time.Second, "it knows that it has been removed", func() bool { return other.stopped != "" })
	require.Equal(t, "stopped: the member has been permanently removed from the cluster", other.stopped)
}

// TestADatabaseThatGrows: it is mapped anew when it is larger than what was mapped at first, and is the same after a
// kill. When it is as large as it may become there is an alarm.
func TestADatabaseThatGrows(t *testing.T) {
	c := newCluster(t, loadCluster(t), 1, 5)
	c.configure = func(of *protocol.Member) { of.QuotaBytes = 12 << 20 }
	c.start()
	m := c.members[0]
	value := strings.Repeat("0123456789abcdef", 8192)
	count := 0
	failed := ""
	for failed == "" {
		require.Less(t, count, 200)
		count++
		_, failed = m.call(putOf(fmt.Sprint("key", count), value))
	}
	require.Equal(t, fmt.Sprint(protocol.BadRequest, " etcdserver: mvcc: database space exceeded"), failed)
	require.Greater(t, count, 50)
	r := m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpAlarm).Byte(0).Int(0).Byte(0) })
	require.EqualValues(t, 1, r.Int())
	require.Equal(t, m.id, uint64(r.Int()))
	require.EqualValues(t, 1, r.Byte())
	hash := m.hash()
	m.kill()
	m.start()
	c.wait(20*time.Second, "it is ready again", func() bool { return m.ready })
	require.Equal(t, hash, m.hash())
	_, got := m.get(fmt.Sprint("key", count-1), false)
	require.Equal(t, value, got)
	m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpDefragment) })
	require.Equal(t, hash, m.hash())
	r = m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpAlarm).Byte(2).Int(int64(m.id)).Byte(1) })
	require.EqualValues(t, 1, r.Int())
}

// TestADowngradeIsAsked: a release may go back by one.
func TestADowngradeIsAsked(t *testing.T) {
	c := newCluster(t, loadCluster(t), 3, 6)
	c.start()
	m := c.members[0]
	var major, minor int
	_, err := fmt.Sscanf(m.status().version, "%d.%d", &major, &minor)
	require.NoError(t, err)
	to := fmt.Sprintf("%d.%d.0", major, minor-1)
	now := c.now
	c.wait(time.Minute, "the members know the version", func() bool { return c.now > now+int64(10*time.Second) })
	r := m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpDowngrade).Byte(0).Text(to) })
	require.Contains(t, r.Text(), fmt.Sprintf("%d.%d", major, minor))
	_, failed := m.call(func(w *protocol.Writer) { w.Byte(protocol.OpDowngrade).Byte(0).Text("3.0.0") })
	require.NotEmpty(t, failed)
	if minor < 6 {
		// Releases of 3.5 carry it out, and answer that it has timed out.
		return
	}
	m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpDowngrade).Byte(1).Text(to) })
	m.ask(func(w *protocol.Writer) { w.Byte(protocol.OpDowngrade).Byte(2).Text("") })
}

// TestMembersDoTheSameAgain: the same choices have the same outcome, to the bit.
func TestMembersDoTheSameAgain(t *testing.T) {
	module := loadCluster(t)
	run := func() (hashes []uint64) {
		c := newCluster(t, module, 3, 7)
		c.start()
		for i := range 30 {
			c.members[i%3].put(fmt.Sprint(i%7), fmt.Sprint(i))
		}
		c.members[1].kill()
		c.members[1].start()
		c.wait(20*time.Second, "it is back", func() bool { return c.members[1].ready })
		for _, m := range c.members {
			hashes = append(hashes, m.guest.Hash(), m.disk.Hash())
		}
		return append(hashes, uint64(c.now), uint64(c.steps))
	}
	require.Equal(t, run(), run())
}
