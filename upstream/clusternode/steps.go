package clusternode

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/disk"
	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// The timers of a member.
const (
	// timerNext is the guest's next timer: the guest has one clock, so that its timers go off in the order of their
	// times.
	timerNext sim.Timer = iota
	// timerDisk is when the disk is done with what was to be synced.
	timerDisk
	// timerLate is when goroutines that are late go on.
	timerLate
	// timerBoot is when the next process starts.
	timerBoot
	// timerResume is when a process that was paused goes on.
	timerResume
	// timerCalm is when what an order of a scenario has begun ends.
	timerCalm
)

var timerNames = [...]string{"next timer of the guest", "disk", "late goroutines", "next process", "resumption", "end of a fault"}

// cellGuest is all of the guest's memory and its disk.
var cellGuest = sim.NewCell("cluster guest: its memory")

// seeds is how many ways there are to seed the generators of a guest.
const seeds = 8

// delaySteps is how finely the delays of a member are chosen.
const delaySteps = 4

// Beginning is how the run of a member begins that is a cluster by itself.
func Beginning(seed int64) []byte {
	n := &Node{cfg: &Config{Peers: []Peer{{Name: "member-1"}}, Initial: 1}}
	return n.start(seed)
}

// start is the first message to a process.
func (n *Node) start(seed int64) []byte {
	m, peers := n.cfg.Member, n.cfg.Peers
	m.Name, m.Dir, m.Peers = peers[n.cfg.Self].Name, directory, nil
	for i, p := range peers {
		if n.joins.names(i, n.cfg.Initial) {
			m.Peers = append(m.Peers, protocol.Peer{Name: p.Name, URL: URL(i)})
		}
	}
	m.Existing, m.ForceNewCluster = n.joins != nil, n.forces
	if n.bump > 0 {
		m.Dir, m.Restore, m.RevisionBump, m.Token = restored, directory+"/member/snap/db", n.bump, "restored"
	}
	text, err := json.Marshal(m)
	if err != nil {
		// It has numbers and texts alone.
		panic(err)
	}
	return n.out.Begin(protocol.Start, 0).Int(seed).Text(string(text)).Bytes
}

// directory is where a member has its data, restored where it has what was made out of a copy.
const directory, restored = "/data", "/restored"

func address(i int) string { return fmt.Sprintf("10.0.0.%d:2380", i+1) }

// URL is where the other members reach the one at a place.
func URL(place int) string { return "http://" + address(place) }

// SecondURL is where they reach it as well.
func SecondURL(place int) string { return fmt.Sprintf("http://10.0.1.%d:2380", place+1) }

// PlaceOf is the place, among so many, of which this is an URL, -1 if it is none of them.
func PlaceOf(url string, places int) int {
	for i := range places {
		if URL(i) == url || SecondURL(i) == url {
			return i
		}
	}
	return -1
}

// RaftIDOf is the raft id of a member of the initial cluster, by its place (membership.NewMember).
func RaftIDOf(i int) uint64 {
	sum := sha1.Sum([]byte(URL(i) + "etcd-cluster"))
	return binary.BigEndian.Uint64(sum[:8])
}

// place is where a member is, by its raft id, -1 if the process does not know of it.
func (n *Node) place(id uint64) int {
	if i := slices.IndexFunc(n.known, func(k known) bool { return k.id == id }); i >= 0 {
		return n.known[i].place
	}
	return -1
}

// learn takes it that a member is at a place.
func (n *Node) learn(id uint64, place int) {
	if i := slices.IndexFunc(n.known, func(k known) bool { return k.id == id }); i >= 0 {
		n.known[i].place = place
		return
	}
	n.known = append(n.known, known{id, place})
}

// placeOf is the place of a node.
func (n *Node) placeOf(of sim.NodeID) int { return int(of - n.cfg.Peers[0].Node) }

// Start implements sim.Node.
func (n *Node) Start(env *sim.Env) {
	if n.Starts > 0 || n.State == Absent {
		n.arm(env)
		return
	}
	n.boot(env)
}

// boot starts a process.
func (n *Node) boot(env *sim.Env) {
	n.State, n.Why = Starting, ""
	n.Starts++
	noteBegins.Say(env, n.Starts)
	seed := env.Choose(seeds, "seed of the guest")
	n.seed = uint64(seed)<<16 | uint64(n.cfg.Self)<<8 | uint64(n.Starts)
	n.random = 0
	n.run(env, n.start(int64(n.seed)))
}

// join has the machine start a member that was added, unless it has done so. A machine on which there was another
// member has a new disk. A process that has stopped by itself is started again: it may have asked a member that did not
// know of it yet.
func (n *Node) join(env *sim.Env, p *Join) {
	known := n.joins != nil && n.joins.ID == p.ID
	n.joins = p
	switch {
	case n.State == Absent:
		n.boot(env)
	case !known:
		n.wiped = true
		env.Crash([]sim.NodeID{env.Self()})
	case n.State == Stopped:
		if n.other != nil {
			// A cluster that has been upgraded takes no member of the older release.
			n.guest = n.other
			n.guest.Reset()
		}
		n.boot(env)
	}
}

// strike has the machine have its part of a disaster, once.
func (n *Node) strike(env *sim.Env, p *Disaster) {
	if n.struck {
		return
	}
	n.struck = true
	if n.lost, n.forces = !p.Survives, p.Survives; n.forces {
		n.Losses = append(n.Losses, Loss{env.Tick(), n.told})
	}
	env.Crash([]sim.NodeID{env.Self()})
}

// Restart implements sim.Restarter: the process has ended, and the next one comes after some time.
func (n *Node) Restart(env *sim.Env) {
	n.guest.Reset()
	if n.Gone {
		env.Cover(coverLost)
		noteGone.Say(env)
		n.forget()
		n.State = Stopped
		return
	}
	if n.calmAt > env.Now() {
		env.Arm(timerCalm, n.calmAt.Sub(env.Now()))
	}
	if n.ends {
		n.ends = false
		n.disk.Kill()
		n.forget()
		return
	}
	if n.lost {
		noteLost.Say(env)
		n.disk, n.joins, n.Led = disk.New(n.cfg.Disk), nil, n.Led[:0]
		n.forget()
		n.lost, n.power, n.paused, n.held, n.State = false, false, false, nil, Absent
		return
	}
	switch {
	case n.restores:
		noteRestored.Say(env)
		n.disk.Restore(n.backup.disk)
		if n.bump > 0 {
			// A process that ends before it has the directory begins with the copy again.
			n.Led = n.Led[:0]
			break
		}
		n.told, n.Led = n.backup.told, n.Led[:n.backup.led]
		n.backup, n.restores = backup{}, false
	case n.wiped:
		env.Cover(coverReplaced)
		noteWiped.Say(env)
		n.disk, n.Lies = disk.New(n.cfg.Disk), false
	case n.upgraded && n.other != nil && n.guest != n.other:
		env.Cover(coverUpgraded)
		noteUpgraded.Say(env)
		n.guest = n.other
		n.guest.Reset()
		n.disk.Kill()
	case n.power:
		if n.disk.Unsynced() > 0 {
			env.Cover(coverNoPower)
		}
		lost := "nothing"
		if takes := n.disk.PowerLoss(env.Choose); len(takes) > 0 {
			lost = strings.Join(takes, ", ")
		}
		noteNoPower.Say(env, lost)
	default:
		noteKilled.Say(env)
		n.disk.Kill()
	}
	n.forget()
	n.power, n.wiped, n.paused, n.held, n.State = false, false, false, nil, Down
	n.excused = n.disk.Faulty() || n.Lies
	env.Arm(timerBoot, drawn(env, n.cfg.Down, "how long the process stays away"))
}

// forget forgets what the process had open.
func (n *Node) forget() {
	clear(n.lanes)
	n.known = n.known[:0]
	n.calls, n.serves, n.versions, n.syncing, n.synced = n.calls[:0], n.serves[:0], n.versions[:0], n.syncing[:0], n.synced[:0]
	n.until, n.waits, n.starves, n.streamCut.behind, n.behind, n.defragments, n.term = 0, false, none, nil, nil, false, 0
}

// drawn is a time up to most.
func drawn(env *sim.Env, most time.Duration, what string) time.Duration {
	if most == 0 {
		return 0
	}
	return most * time.Duration(env.Choose(delaySteps+1, what)) / delaySteps
}

// alive reports whether there is a process.
func (n *Node) alive() bool { return n.State >= Starting && n.State <= Running }

// Receive implements sim.Node.
func (n *Node) Receive(env *sim.Env, m *sim.Message) {
	if p, strikes := m.Payload.(*Disaster); strikes {
		env.Send(m.Conn, &Joined{})
		n.strike(env, p)
		return
	}
	if n.alone && n.placeOf(m.From) >= 0 && n.placeOf(m.From) < len(n.cfg.Peers) {
		n.behind = append(n.behind, *m)
		return
	}
	if n.streamCut.holds(n, m) {
		n.streamCut.behind = append(n.streamCut.behind, *m)
		return
	}
	if o, is := m.Payload.(*order); is {
		if n.alive() {
			o.do(n, env, m.Conn)
		}
		return
	}
	if n.paused {
		n.held = append(n.held, *m)
		return
	}
	if p, joins := m.Payload.(*Join); joins {
		env.Send(m.Conn, &Joined{})
		n.join(env, p)
		return
	}
	if n.State < Joining || n.State >= Stopped || n.Lies && m.From >= n.cfg.Peers[0].Node+sim.NodeID(len(n.cfg.Peers)) {
		if _, ends := m.Payload.(*sim.Hangup); !ends && n.answers(m.Conn) < 0 {
			// Nothing listens.
			env.Send(m.Conn, refused)
			env.Abort(m.Conn)
			return
		}
		if !n.alive() {
			return
		}
	}
	switch p := m.Payload.(type) {
	case *Raft:
		n.learn(p.From, n.placeOf(m.From))
		if p.ofLeader() {
			n.term, n.heard = max(n.term, p.Term), env.Now()
		}
		if n.reached(env, p.From); !n.alive() {
			// The process has ended by what its disk does.
			return
		}
	case *Snapshot:
		n.learn(p.From, n.placeOf(m.From))
		if p.Lies && !n.Lies {
			env.Cover(coverSpreads)
			noteSpreads.Say(env)
			if n.lie(env); !n.alive() {
				return
			}
		}
	case *Gone:
		env.Cover(coverGone)
	}
	if _, streams := m.Payload.(*wire.RangeStreamRequest); streams {
		env.Send(m.Conn, unimplemented)
		env.Close(m.Conn)
		return
	}
	if message := n.incoming(m); message != nil {
		n.run(env, message)
	}
}

// unimplemented answers RangeStream, which no guest is asked for.
var unimplemented = &wire.Error{Code: wire.Unimplemented, Message: "unknown method RangeStream"}

var refused = &wire.Error{Code: wire.Unavailable, Message: wire.ConnectionRefused}

// reached has the guest know that there is a connection to a member again: something has come from it.
func (n *Node) reached(env *sim.Env, id uint64) {
	i := n.place(id)
	if i < 0 || !n.lanes[2*i].broken && !n.lanes[2*i+1].broken {
		return
	}
	n.lanes[2*i].broken, n.lanes[2*i+1].broken = false, false
	n.run(env, n.out.Begin(protocol.Reachable, 0).Int(int64(id)).Bytes)
}

// answers is the place of a call of the guest, -1 if the connection is none.
func (n *Node) answers(c sim.Conn) int {
	return slices.IndexFunc(n.calls, func(k call) bool { return k.conn == c })
}

// incoming is a message of the world as the guest understands it, nil if it does not concern the guest any more.
func (n *Node) incoming(m *sim.Message) []byte {
	if as, is := m.Payload.(*As); is {
		of := *m
		of.Payload = as.Payload
		return append(new(protocol.Writer).Begin(protocol.As, uint32(m.Conn)).Text(as.Token).Bytes, n.incoming(&of)...)
	}
	w, conn := &n.out, uint32(m.Conn)
	if i := n.answers(m.Conn); i >= 0 {
		k := n.calls[i]
		n.calls = slices.Delete(n.calls, i, i+1)
		return n.answer(k, m.Payload)
	}
	switch p := m.Payload.(type) {
	case *Raft:
		return w.Begin(protocol.Raft, 0).Int(int64(p.From)).Byte(p.Lane).Text(p.Bytes).Bytes
	case *Gone:
		return w.Begin(protocol.Gone, 0).Int(int64(p.By)).Bytes
	case *Snapshot:
		return w.Begin(protocol.RaftSnapshot, conn).Int(int64(p.From)).Text(p.Bytes).Text(p.Database).Bytes
	case *PeerRequest:
		return writeHeaders(w.Begin(protocol.PeerRequest, conn).Text(p.Method).Text(p.Path).Text(p.Body), p.Headers).Bytes
	case *sim.Hangup, *wire.Error:
		return n.ended(m.Conn)
	}
	if n.serving(m.Conn) < 0 {
		n.serves = append(n.serves, served{m.Conn, m.From, m.Payload})
	}
	if _, asks := m.Payload.(*wire.StatusRequest); asks {
		n.versions = append(n.versions, m.Conn)
	}
	if node.WriteWatchRequest(w, conn, m.Payload) || writeRequest(w.Begin(protocol.Do, conn), m.Payload) {
		return w.Bytes
	}
	return nil
}

// answer is what another member says to a call of the guest.
func (n *Node) answer(k call, p sim.Payload) []byte {
	w := &n.out
	switch p := p.(type) {
	case *SnapshotTaken:
		return w.Begin(protocol.SnapshotSent, k.number).Bool(p.OK).Bytes
	case *PeerResponse:
		return writeHeaders(w.Begin(protocol.PeerResponse, k.number).Int(int64(p.Status)), p.Headers).Text(p.Body).Bytes
	default:
		// The connection broke, or nothing listens there.
		if k.snapshot {
			return w.Begin(protocol.SnapshotSent, k.number).Bool(false).Bytes
		}
		return w.Begin(protocol.Failed, k.number).Byte(protocol.Unavailable).Text(refused.Message).Bytes
	}
}

// ended is the end of a connection that is no call of the guest.
func (n *Node) ended(c sim.Conn) []byte {
	if i := slices.IndexFunc(n.lanes, func(l lane) bool { return l.conn == c }); i >= 0 {
		known := n.lanes[i].broken || n.lanes[i^1].broken
		n.lanes[i] = lane{broken: true}
		if known {
			return nil
		}
		for _, k := range slices.Backward(n.known) {
			if k.place == i/2 {
				return n.out.Begin(protocol.Unreachable, 0).Int(int64(k.id)).Bytes
			}
		}
		return nil
	}
	if i := n.serving(c); i >= 0 {
		n.serves = slices.Delete(n.serves, i, i+1)
		return n.out.Begin(protocol.Hangup, uint32(c)).Bytes
	}
	return nil
}

// Drained implements sim.Drained.
func (n *Node) Drained(env *sim.Env, c sim.Conn) {
	if n.serving(c) >= 0 && n.alive() && !n.paused {
		n.run(env, n.out.Begin(protocol.Drained, uint32(c)).Bytes)
	}
}

// Fire implements sim.Node.
func (n *Node) Fire(env *sim.Env, t sim.Timer) {
	switch t {
	case timerBoot:
		n.boot(env)
		return
	case timerResume:
		n.resume(env)
		return
	case timerCalm:
		n.calm(env)
		return
	case timerDisk:
		n.synced, n.syncing = append(n.synced, n.syncing...), n.syncing[:0]
	}
	n.run(env, nil)
}

// Run implements sim.Node; a member has no loops of the world.
func (n *Node) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (n *Node) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (n *Node) TimerName(t sim.Timer) string { return timerNames[t] }

// run has the guest run until all its goroutines wait, or are late.
func (n *Node) run(env *sim.Env, message []byte) {
	env.Write(cellGuest, 0)
	n.clock = int64(env.Now()) + n.skew
	n.Begin(env, n.cfg.Locks, node.ByFunction)
	n.pausing = node.Pause{Loop: message == nil}
	n.waits = false
	n.syncing = n.syncing[:0]
	until, err := n.guest.Run(n, n.clock, message)
	if err != nil && n.excused {
		env.Cover(coverEnds)
		why, _, _ := strings.Cut(err.Error(), "\n")
		noteEnds.Say(env, why)
		n.Env, n.State = nil, Down
		if n.Lies {
			// The next one would end as well.
			n.State, n.Why, n.ends = Stopped, why, true
		}
		env.Crash([]sim.NodeID{env.Self()})
		return
	}
	if err != nil {
		// A member that panics is a finding of its own.
		if c := (*engine.Crash)(nil); errors.As(err, &c) {
			panic(&panicked{n.cfg.Peers[n.cfg.Self].Name, c})
		}
		panic(fmt.Errorf("%s: %w", n.cfg.Peers[n.cfg.Self].Name, err))
	}
	n.Env = nil
	n.until = until
	if n.asks {
		n.asks = false
		node.WriteOp(n.out.Begin(protocol.Do, ownCall), &wire.RangeRequest{Key: "\x00", RangeEnd: "\x00", Serializable: true})
		n.run(env, n.out.Bytes)
		return
	}
	n.arm(env)
	if n.State == Stopped {
		n.ends = !n.excused || n.Lies
		env.Crash([]sim.NodeID{env.Self()})
	}
}

// ownCall is the connection of a call that no client has made.
const ownCall = uint32(sim.NoConn)

// panicked is that the process of a member has panicked.
type panicked struct {
	of string
	*engine.Crash
}

// Error implements error.
func (p *panicked) Error() string {
	text := p.of + " panics: " + p.Message()
	functions := p.Functions
	// What stands around the server called it.
	if i := slices.IndexFunc(functions, func(f string) bool { return strings.HasPrefix(f, "main.") || strings.Contains(f, "Watchbed") }); i >= 0 {
		functions = functions[:i]
	}
	if len(functions) > 0 {
		text += ", in " + strings.Join(functions, ", called by ")
	}
	return text
}

// arm has the world know what the guest waits for.
func (n *Node) arm(env *sim.Env) {
	if !n.alive() {
		n.disarm(env)
		return
	}
	if n.until == 0 {
		env.Disarm(timerNext)
	} else {
		env.Arm(timerNext, max(0, time.Duration(n.until-n.clock)))
	}
	switch {
	case len(n.syncing) == 0 || n.disk.Stalled():
		env.Disarm(timerDisk)
	case !env.Armed(timerDisk):
		env.Arm(timerDisk, drawn(env, n.cfg.Sync, "how long the disk takes"))
	}
	switch {
	case !n.waits:
		env.Disarm(timerLate)
	case !env.Armed(timerLate):
		env.Arm(timerLate, drawn(env, n.cfg.LateFor, "how long goroutines are late"))
	}
}

// disarm stops the timers of the process.
func (n *Node) disarm(env *sim.Env) {
	for _, t := range []sim.Timer{timerNext, timerDisk, timerLate} {
		env.Disarm(t)
	}
}

// stopped takes it that the process has ended by itself.
func (n *Node) stopped(why string) {
	n.State, n.Why = Stopped, strings.TrimSpace(why)
	n.Env.Cover(coverStopped)
	noteStopped.Say(n.Env, n.Why)
}

// failed is what a client is told.
func failed(r *protocol.Reader) *wire.Error {
	return &wire.Error{Code: wire.Code(r.Byte()), Message: r.Text()}
}
