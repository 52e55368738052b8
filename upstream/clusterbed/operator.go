package clusterbed

import (
	"time"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// operator draws which kinds of faults a run has, and asks members for what no client does.
type operator struct {
	sim.Idle
	config *Config
	// strikes says of each family of faults whether the run has it.
	strikes [families]bool
	// due are the operations that are still to come, in no order.
	due []maintenance
	// without has what is left out, as a part.
	without map[string]int
	membership
	permissions permissions
}

// The timers of the operator. Those of what is due come behind them, and then the one of permissions.
const (
	timerMembership sim.Timer = iota
	timerDue
)

func (o *operator) timerPermissions() sim.Timer { return timerDue + sim.Timer(len(o.due)) }

// family is a kind of faults.
type family uint8

const (
	kills family = iota
	powerLosses
	pauses
	stalls
	fulls
	ioErrors
	clockJumps
	upgrades
	partitions
	oneWays
	breaks
	losses
	restarts
	moves
	defragments
	changes
	authChanges
	starvations
	flips
	streamCuts
	outages
	updates
	forceNewClusters
	backups
	families
)

// kinds are what families are called, and how often each strikes.
var kinds = [families]struct {
	name, one string
	times     func(*Faults) int
}{
	kills:            {"kills", "kill of", func(f *Faults) int { return f.Kills }},
	powerLosses:      {"power losses", "power loss of", func(f *Faults) int { return f.PowerLosses }},
	pauses:           {"pauses", "pause of", func(f *Faults) int { return f.Pauses }},
	stalls:           {"stalls", "stalled disk of", func(f *Faults) int { return f.Stalls }},
	fulls:            {"full disks", "full disk of", func(f *Faults) int { return f.Fulls }},
	ioErrors:         {"I/O errors", "failing disk of", func(f *Faults) int { return f.IOErrors }},
	clockJumps:       {"clock jumps", "clock jump of", func(f *Faults) int { return f.ClockJumps }},
	upgrades:         {"upgrades", "upgrade of", func(f *Faults) int { return f.Upgrades }},
	partitions:       {"partitions", "partition of", func(f *Faults) int { return f.Partitions }},
	oneWays:          {"one-way partitions", "one-way partition of", func(f *Faults) int { return f.OneWays }},
	breaks:           {"breaks", "broken stream to", func(f *Faults) int { return f.Breaks }},
	losses:           {"losses", "lost client of", func(f *Faults) int { return f.Losses }},
	restarts:         {"restarts of API servers", "restart of", func(f *Faults) int { return f.Restarts }},
	moves:            {"moves", "move of the leader", func(f *Faults) int { return f.Moves }},
	defragments:      {"defragmentations", "defragmentation", func(f *Faults) int { return f.Defragments }},
	changes:          {"changes of the members", "change of the members", func(f *Faults) int { return f.Changes }},
	starvations:      {"starvations", "starved goroutine of", func(f *Faults) int { return f.Starvations }},
	authChanges:      {"changes of what users may do", "change of what users may do", func(f *Faults) int { return f.AuthChanges }},
	flips:            {"flipped bits", "flipped bit of", func(f *Faults) int { return f.Flips }},
	streamCuts:       {"cut streams", "cut stream to", func(f *Faults) int { return f.StreamCuts }},
	outages:          {"outages", "outage of", func(f *Faults) int { return f.Outages }},
	updates:          {"updates of members", "update of a member", func(f *Faults) int { return f.Updates }},
	forceNewClusters: {"disasters", "disaster", func(f *Faults) int { return f.ForceNewClusters }},
	backups:          {"backups that are restored", "restored backup of", func(f *Faults) int { return f.Backups }},
}

// covers are the coverage points of families.
var covers = func() (all [families]sim.CoveragePoint) {
	for i := range kinds {
		all[i] = sim.NewCoveragePoint("faults: " + kinds[i].name)
	}
	return all
}()

// none reports whether nothing may break.
func (f *Faults) none() bool {
	for i := range kinds {
		if kinds[i].times(f) > 0 {
			return false
		}
	}
	return true
}

// maintenance is something that the operator does. request is what a member is asked for, nil if that is drawn when
// it begins.
type maintenance struct {
	of      family
	member  int
	request *clusternode.Request
}

func (o *operator) reset(c *Config, without map[string]int) {
	*o = operator{config: c, without: without, due: o.due[:0]}
}

// Start implements sim.Node.
func (o *operator) Start(env *sim.Env) {
	c := o.config
	f := &c.Faults
	for i := range kinds {
		o.strikes[i] = kinds[i].times(f) > 0 && (f.All || env.Choose(2, "a run with "+kinds[i].name) == 1)
	}
	plan := func(of family, asks bool, request func() *clusternode.Request) {
		for i := range kinds[of].times(f) {
			if !o.strikes[of] {
				return
			}
			m := maintenance{of: of}
			if asks {
				m.member = env.Choose(c.Members, "member that is asked")
			}
			if request != nil {
				m.request = request()
			}
			at := c.Boot + (c.For-c.Boot)*time.Duration(env.Choose(strikeSteps, "when it is asked"))/strikeSteps
			if o.without[dueOf(of, i)] == 0 {
				env.Arm(timerDue+sim.Timer(len(o.due)), at)
			}
			o.due = append(o.due, m)
		}
	}
	plan(moves, true, func() *clusternode.Request {
		return &clusternode.Request{Op: protocol.OpMoveLeader, Member: clusternode.RaftIDOf(env.Choose(c.Members, "next leader"))}
	})
	plan(defragments, true, func() *clusternode.Request { return &clusternode.Request{Op: protocol.OpDefragment} })
	plan(changes, false, nil)
	plan(authChanges, false, nil)
	plan(updates, true, func() *clusternode.Request {
		place := env.Choose(c.Members, "member that is updated")
		first, second := clusternode.URL(place), clusternode.SecondURL(place)
		urls := [...]string{first + " " + second, second, first}[env.Choose(3, "URLs of the member")]
		return &clusternode.Request{Op: protocol.OpMemberUpdate, Member: clusternode.RaftIDOf(place), Text: urls}
	})
	plan(forceNewClusters, true, nil)
	if len(o.permissions.due) > 0 {
		env.Arm(o.timerPermissions(), 0)
	}
}

// strikeSteps is how finely the time of an operation is drawn.
const strikeSteps = 32

// Fire implements sim.Node.
func (o *operator) Fire(env *sim.Env, t sim.Timer) {
	switch t {
	case timerMembership:
		o.reconcile(env)
		return
	case o.timerPermissions():
		o.changePermissions(env)
		return
	}
	m := o.due[t-timerDue]
	env.Cover(covers[m.of])
	begin := func(t sim.Timer) {
		if !env.Armed(t) {
			env.Arm(t, 0)
		}
	}
	switch m.of {
	case authChanges:
		o.permissions.wanted++
		begin(o.timerPermissions())
	case changes:
		o.queued++
		begin(timerMembership)
	case forceNewClusters:
		o.disaster(env, m.member)
	default:
		env.Begin("maintenance", int(t))
		env.Call(firstMember+sim.NodeID(m.member), o.permissions.root.gives(m.request))
	}
}

// TimerName implements sim.Node.
func (o *operator) TimerName(t sim.Timer) string {
	switch t {
	case timerMembership:
		return "change of the members"
	case o.timerPermissions():
		return "change of what users may do"
	}
	return "maintenance"
}
