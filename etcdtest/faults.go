package etcdtest

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Faults are what may break within a time from the start, and how often. Each has a time that the seed draws.
type Faults struct {
	// Within is how long after the start something may break.
	Within time.Duration
	// Breaks end a stream of watches of each client, Partitions cut each client off from etcd, and the follower from
	// the leader: what is sent waits meanwhile. Clogs are one-sided: nothing comes on the watches of a client, which
	// stay open. Refusals have the next watch of a client refused for lack of a permission.
	Breaks, Partitions, Clogs, Refusals int
	// Restarts restart etcd, Snapshots have it install a snapshot, Defragments let it answer nothing for some time.
	Restarts, Snapshots, Defragments, Compactions int
	// LeaderLosses leave the cluster without a leader for some time, LeaderChanges give it another one while reads
	// wait.
	LeaderLosses, LeaderChanges int
	// Timeouts have a request time out, LostCalls break its connection: whether a write was carried out is not known
	// then. Overloads refuse a write.
	Timeouts, LostCalls, Overloads int
	// Sizes is how many buffers and batches of etcd are smaller than its own, from the start to the end.
	Sizes int
}

// DefaultFaults are those of a configuration without any of its own: one or two of each kind but Refusals, within the
// first ten seconds. A test that takes less time meets fewer: set Within.
func DefaultFaults() Faults {
	return Faults{
		Within: 10 * time.Second, Breaks: 2, Partitions: 1, Clogs: 1, Restarts: 1, Snapshots: 1, Defragments: 1, Compactions: 2,
		LeaderLosses: 1, LeaderChanges: 1, Timeouts: 1, LostCalls: 1, Overloads: 1, Sizes: 2,
	}
}

// FaultNames are the fields of Faults.
func FaultNames() string {
	var names []string
	for _, of := range reflect.VisibleFields(reflect.TypeFor[Faults]()) {
		names = append(names, of.Name)
	}
	return strings.Join(names, ", ")
}

// ParseFaults reads faults from a command line: "default" for DefaultFaults, or fields of Faults in any case, such as
// "breaks=3,restarts=1,within=1m". A kind without a number is one fault.
func ParseFaults(text string) (f Faults, err error) {
	if f = DefaultFaults(); text == "default" {
		return f, nil
	}
	f = Faults{Within: f.Within}
	fields := reflect.ValueOf(&f).Elem()
	for part := range strings.SplitSeq(text, ",") {
		name, value, given := strings.Cut(part, "=")
		switch field := fields.FieldByNameFunc(func(of string) bool { return strings.EqualFold(of, name) }); {
		case !field.IsValid():
			return f, fmt.Errorf("no fault is called %q: want default, or some of %s", name, FaultNames())
		case field.Addr().Interface() == &f.Within:
			if f.Within, err = time.ParseDuration(value); err != nil || f.Within <= 0 {
				return f, fmt.Errorf("%s: want a time, such as Within=30s", part)
			}
		default:
			n, err := 1, error(nil)
			if given {
				n, err = strconv.Atoi(value)
			}
			if err != nil || n < 0 {
				return f, fmt.Errorf("%s: want a number of faults, such as %s=2", part, name)
			}
			field.SetInt(int64(n))
		}
	}
	return f, nil
}

// sizes is the kind of faults that are there before etcd is.
const sizes = "sizes"

// kinds are those of faults, with what plans one of them.
var kinds = []struct {
	name string
	of   func(*Faults) *int
	plan func(*planner)
}{
	{sizes, func(f *Faults) *int { return &f.Sizes }, (*planner).size},
	{"broken streams", func(f *Faults) *int { return &f.Breaks }, func(p *planner) {
		p.ofClients("a broken stream of %s", func(at *planned, client, server sim.NodeID) sim.Fault {
			return &sim.BreakStream{From: []sim.NodeID{client}, To: server}
		})
	}},
	{"partitions", func(f *Faults) *int { return &f.Partitions }, (*planner).partition},
	{"clogs", func(f *Faults) *int { return &f.Clogs }, func(p *planner) {
		p.ofClients("watches of %s that say nothing", func(at *planned, client, server sim.NodeID) sim.Fault {
			return etcd.Clog(server, "", []sim.NodeID{client}, at.ends)
		})
	}},
	{"refusals", func(f *Faults) *int { return &f.Refusals }, func(p *planner) {
		p.ofClients("a refused watch of %s", func(at *planned, client, server sim.NodeID) sim.Fault {
			return etcd.DenyWatch(server, "", []sim.NodeID{client})
		})
	}},
	{"restarts", func(f *Faults) *int { return &f.Restarts }, func(p *planner) {
		p.ofServers("a restart of %s", func(_ *planned, server sim.NodeID, name string) sim.Fault {
			return &sim.RestartProcess{Nodes: []sim.NodeID{server}, Label: name}
		})
	}},
	{"snapshots", func(f *Faults) *int { return &f.Snapshots }, func(p *planner) {
		p.ofServers("a snapshot for %s", func(_ *planned, server sim.NodeID, name string) sim.Fault { return etcd.InstallSnapshot(server, name) })
	}},
	{"defragmentations", func(f *Faults) *int { return &f.Defragments }, func(p *planner) {
		p.ofServers("a defragmentation of %s", func(at *planned, server sim.NodeID, name string) sim.Fault {
			return etcd.Defragment(server, name, at.ends)
		})
	}},
	{"compactions", func(f *Faults) *int { return &f.Compactions }, func(p *planner) {
		p.ofEtcd("a compaction", func(at *planned) sim.Fault { return &compaction{p.run, at.draw.Int64N(3)} })
	}},
	{"leader losses", func(f *Faults) *int { return &f.LeaderLosses }, func(p *planner) {
		p.ofEtcd("no leader", func(at *planned) sim.Fault { return etcd.LoseLeader(p.servers, "etcd", at.ends) })
	}},
	{"leader changes", func(f *Faults) *int { return &f.LeaderChanges }, func(p *planner) {
		p.ofEtcd("another leader", func(*planned) sim.Fault {
			return &failure{etcd.Fail(etcdNode, "etcd", etcd.LeaderChanges), p.run.etcd}
		})
	}},
	{"timeouts", func(f *Faults) *int { return &f.Timeouts }, func(p *planner) {
		p.ofEtcd("a timeout", func(*planned) sim.Fault { return &failure{etcd.Fail(etcdNode, "etcd", etcd.TimesOut), p.run.etcd} })
	}},
	{"lost calls", func(f *Faults) *int { return &f.LostCalls }, func(p *planner) {
		p.ofEtcd("a lost call", func(*planned) sim.Fault { return &sim.BreakCall{To: p.servers} })
	}},
	{"overloads", func(f *Faults) *int { return &f.Overloads }, func(p *planner) {
		p.ofEtcd("an overload", func(*planned) sim.Fault { return &failure{etcd.Fail(etcdNode, "etcd", etcd.Overloads), p.run.etcd} })
	}},
}

// planned is one fault that strikes once, and has a number. What is drawn of it depends on the number and the seed
// alone, so that a schedule without another fault has this one all the same.
type planned struct {
	sim.Fault
	number int
	// name says what it is.
	name string
	draw *rand.Rand
	// strikes are its times as World.planFault has them, ends is when it is over.
	strikes []int
	ends    sim.Time
	// of is the client that it needs, nil for none.
	of *process
	// setting is there if it is none that strikes.
	setting option.Setting
	struck  bool
}

// Name implements sim.Fault.
func (p *planned) Name() string { return strconv.Itoa(p.number) }

// Ready implements sim.Fault.
func (p *planned) Ready(w *sim.World) bool {
	return (p.of == nil || p.of.used.Load()) && p.Fault.Ready(w)
}

// Strike implements sim.Fault.
func (p *planned) Strike(env *sim.Env) {
	p.struck = true
	p.Fault.Strike(env)
}

// Heal implements sim.Healer.
func (p *planned) Heal(env *sim.Env) {
	if h, is := p.Fault.(sim.Healer); is {
		h.Heal(env)
	}
}

// planner plans the faults of a schedule.
type planner struct {
	config  *Config
	run     *run
	of      trial
	world   *sim.World
	servers []sim.NodeID
	all     []*planned
}

// plan plans those of some kinds.
func (p *planner) plan(kind func(name string) bool) {
	for _, k := range kinds {
		for range *k.of(p.config.Faults) {
			if kind(k.name) {
				k.plan(p)
			}
		}
	}
}

// strikeSteps is what World.planFault has a strike chosen from.
const strikeSteps = 64

// next is one more fault.
func (p *planner) next(name string) *planned {
	draw := rand.New(rand.NewPCG(p.of.seed, uint64(len(p.all)+1)))
	f := &planned{number: len(p.all), draw: draw, strikes: []int{draw.IntN(strikeSteps), draw.IntN(strikeSteps)}}
	within := sim.Time(p.config.Faults.Within)
	at := within * sim.Time(f.strikes[0]) / strikeSteps
	f.name, f.ends = fmt.Sprintf("%s at %s", name, shown(at)), at+sim.Time(draw.Int64N(max(1, int64(within-at))))
	p.all = append(p.all, f)
	return f
}

// put has a fault in the world, which strikes as often.
func (p *planner) put(at *planned, times int, f sim.Fault) {
	if at.Fault = f; p.of.has(at.number) {
		p.world.AddFault(at, sim.Budget{Times: times, Within: p.config.Faults.Within})
	}
}

func (p *planner) ofEtcd(name string, fault func(*planned) sim.Fault) {
	at := p.next(name)
	p.put(at, 1, fault(at))
}

func (p *planner) ofServers(name string, fault func(at *planned, server sim.NodeID, name string) sim.Fault) {
	for _, server := range p.servers {
		at := p.next(fmt.Sprintf(name, p.world.NodeName(server)))
		p.put(at, 1, fault(at, server, p.world.NodeName(server)))
	}
}

func (p *planner) ofClients(name string, fault func(at *planned, client, server sim.NodeID) sim.Fault) {
	for i := range p.config.Clients {
		process := p.run.loop.processes[i]
		at := p.next(fmt.Sprintf(name, process.name))
		at.of = process
		p.put(at, 1, fault(at, firstProcess+sim.NodeID(i), process.members[at.draw.IntN(len(process.members))]))
	}
}

// partition cuts off, and ends that: it strikes twice.
func (p *planner) partition() {
	for i := range p.config.Clients {
		process := p.run.loop.processes[i]
		at := p.next(process.name + " cut off")
		at.of = process
		p.put(at, 2, &sim.Partition{One: []sim.NodeID{firstProcess + sim.NodeID(i)}, Other: p.servers, Label: "between " + process.name + " and etcd"})
	}
	if len(p.servers) > 1 {
		p.put(p.next("the follower cut off"), 2, &sim.Partition{One: p.servers[1:], Other: p.servers[:1], Label: "between follower and etcd"})
	}
}

// size draws one of the sizes of etcd. That of the largest request is none of them: it is an error for good.
func (p *planner) size() {
	at := p.next("")
	all := slices.DeleteFunc(slices.Clone(scenarios.DrawsEtcd), func(r option.Range) bool { return r.Name == "max-request-bytes" })
	r := all[at.draw.IntN(len(all))]
	at.setting = option.Setting{Name: r.Name, Value: r.Values[at.draw.IntN(len(r.Values))]}
	at.name, at.struck = at.setting.String(), true
}

// compaction is a fault: etcd is compacted from the last process, which no client has.
type compaction struct {
	run    *run
	behind int64
}

func (*compaction) Name() string          { return "compaction" }
func (*compaction) Ready(*sim.World) bool { return true }

// Strike implements sim.Fault.
func (c *compaction) Strike(*sim.Env) {
	l := c.run.loop
	last := len(l.processes) - 1
	l.post(happening{firstProcess + sim.NodeID(last), calls, "", func(env *sim.Env) {
		if to := c.run.etcd.Revision() - c.behind; to > 1 {
			l.processes[last].call(env, &wire.CompactionRequest{Revision: to}, func(sim.Payload) {})
		}
	}})
}

// failure is a fault of the next request that it can happen to, which is not one after the last fault.
type failure struct {
	sim.Fault
	of *etcd.Server
}

// Heal implements sim.Healer.
func (f *failure) Heal(*sim.Env) { f.of.ForgetFailures() }

// trial is one schedule: a seed, a number that has all but the faults drawn anew, and the faults that there are, all if
// it is nil. order has only the order of goroutines drawn anew, where `simrun test` runs the test. turns are those
// that goroutines pass, which run first come, first served otherwise; the order is drawn if it is nil.
type trial struct {
	seed, variant, order uint64
	only                 []int
	turns                []string
}

func (t trial) has(fault int) bool { return t.only == nil || slices.Contains(t.only, fault) }

// String is what parseTrial reads: SEED, SEED.VARIANT or SEED.VARIANT.ORDER, the faults behind a colon, and the turns behind
// a slash.
func (t trial) String() string {
	text := strconv.FormatUint(t.seed, 10)
	if t.variant > 0 || t.order > 0 {
		text += "." + strconv.FormatUint(t.variant, 10)
	}
	if t.order > 0 {
		text += "." + strconv.FormatUint(t.order, 10)
	}
	if t.only != nil {
		var faults []string
		for _, n := range t.only {
			faults = append(faults, strconv.Itoa(n))
		}
		text += ":" + cmp.Or(strings.Join(faults, ","), none)
	}
	if t.turns != nil {
		text += "/" + cmp.Or(strings.Join(t.turns, ","), none)
	}
	return text
}

// none stands for the faults, or the turns, of a trial without any.
const none = "none"

// turnsAre is the form of a turn: the goroutine, and how many turns it has had.
var turnsAre = regexp.MustCompile(`^[0-9a-f]{5}\.\d+$`)

func parseTrial(said string) (t trial, err error) {
	text, turns, given := strings.Cut(said, "/")
	if given {
		t.turns = []string{}
	}
	if turns != none {
		t.turns = append(t.turns, strings.FieldsFunc(turns, func(r rune) bool { return r == ',' })...)
	}
	seeds, faults, some := strings.Cut(text, ":")
	parts := strings.SplitN(seeds, ".", 3)
	for i, to := range []*uint64{&t.seed, &t.variant, &t.order}[:len(parts)] {
		n, wrong := strconv.ParseUint(parts[i], 10, 64)
		if *to = n; wrong != nil {
			err = wrong
		}
	}
	if some {
		t.only = []int{}
	}
	for n := range strings.SplitSeq(faults, ",") {
		if n == "" || n == none {
			continue
		}
		fault, wrong := strconv.Atoi(n)
		if t.only = append(t.only, fault); wrong != nil {
			err = wrong
		}
	}
	for _, turn := range t.turns {
		if !turnsAre.MatchString(turn) {
			err = errors.New("no turn")
		}
	}
	if err != nil {
		return t, fmt.Errorf("%s=%s: want the number of a seed, or what a failure said", seedVariable, said)
	}
	return t, nil
}

// chooser draws from the seed of a trial, and has faults strike when they are to.
type chooser struct {
	strategy.Chooser
	faults []*planned
}

func newChooser(t trial) *chooser {
	c := &chooser{Chooser: strategy.Random().New(strategy.Profile{})}
	c.Begin(rand.NewPCG(t.seed, t.variant).Uint64())
	return c
}

// Choose implements sim.Chooser.
func (c *chooser) Choose(w *sim.World, n int, what string) int {
	if number, strikes := strings.CutPrefix(what, "strike "); strikes {
		if i, err := strconv.Atoi(number); err == nil && len(c.faults[i].strikes) > 0 {
			step := c.faults[i].strikes[0]
			c.faults[i].strikes = c.faults[i].strikes[1:]
			return min(step, n-1)
		}
	}
	return c.Chooser.Choose(w, n, what)
}
