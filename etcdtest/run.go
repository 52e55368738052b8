package etcdtest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
)

// Config is the world that a test runs in. Times are those of the virtual clock. The zero value is the newest release
// that is known, 100 schedules, and DefaultFaults.
type Config struct {
	// Etcd is the release that the simulated etcd is like, such as "3.5.7".
	Etcd string
	// Bug is a known bug of etcd, such as "issue-15220", that the release is given. `simrun list bugs` lists them.
	Bug string
	// Set are options of etcd, such as "progress=deferred": `simrun list etcd` has them.
	Set []string
	// Schedules is how many are tried, with the seeds from Seed on.
	Schedules int
	Seed      uint64
	// one is the schedule of the environment.
	one *trial
	// told: the story of a schedule names goroutines, which takes a fifth longer.
	told bool
	// Clients is how many clients a schedule may have, each in a process of its own. The zero value is 4.
	Clients int
	// Follower adds a member that follows the leader, and lags behind it. The first client has it as its endpoint, the
	// second one has the leader, the third one has both in turn, and so on.
	Follower bool
	// Network is how long a message takes at most as long as things break, then a tenth of that. The zero value is 100
	// ms.
	Network time.Duration
	// Faults is what may break. The zero value is DefaultFaults, &Faults{} is nothing.
	Faults *Faults
	// Horizon ends a schedule whose goroutines have not ended by then. The zero value is 2 minutes. A schedule in which a
	// write is answered every ten seconds has 30 times as long.
	Horizon time.Duration
}

// writing is within what time a write shows that a test goes on, longest how many times the horizon it may.
const writing, longest = 10 * time.Second, 30

// newest is the release that a configuration without one has.
const newest = "3.6.16"

// seedVariable is the environment variable that has one schedule run alone.
const seedVariable = "ETCDTEST_SEED"

// setDefaults fills in what is not set, and returns the options of etcd.
func (c *Config) setDefaults() (etcd.Config, error) {
	c.Schedules, c.Clients = cmp.Or(c.Schedules, 100), cmp.Or(c.Clients, 4)
	c.Network, c.Horizon = cmp.Or(c.Network, 100*time.Millisecond), cmp.Or(c.Horizon, 2*time.Minute)
	if c.Faults == nil {
		all := DefaultFaults()
		c.Faults = &all
	}
	if text := os.Getenv(seedVariable); text != "" {
		one, err := parseTrial(text)
		if err != nil {
			return etcd.Config{}, err
		}
		if one.turns != nil && !host.exact {
			return etcd.Config{}, fmt.Errorf("%s=%s: behind the slash are turns of goroutines, which `simrun test` gives and go test does not", seedVariable, text)
		}
		c.one, c.Schedules = &one, 1
	}
	return c.server()
}

// server are the options of etcd.
func (c *Config) server() (etcd.Config, error) {
	if err := c.check(); err != nil {
		return etcd.Config{}, err
	}
	set := c.Set
	if c.Bug != "" {
		set = append([]string{c.Bug}, set...)
	}
	c.Etcd = cmp.Or(c.Etcd, newest)
	return configure(c.Etcd, set, c.Follower)
}

// etcd names the etcd.
func (c *Config) etcd() string {
	name := "etcd " + c.Etcd
	if c.Bug != "" {
		name += " with " + c.Bug
	}
	return name
}

// check refuses amounts that mean nothing.
func (c *Config) check() error {
	for name, n := range map[string]int64{
		"Schedules": int64(c.Schedules), "Clients": int64(c.Clients), "Network": int64(c.Network), "Horizon": int64(c.Horizon), "Faults.Within": int64(c.Faults.Within),
	} {
		if n < 0 {
			return fmt.Errorf("%s of the configuration is %d: want 0 for its default, or more", name, n)
		}
	}
	for _, k := range kinds {
		if n := *k.of(c.Faults); n < 0 {
			return fmt.Errorf("the faults of the configuration are %d %s: want 0 or more", n, k.name)
		}
	}
	return nil
}

// Run runs a test in many schedules, each of them in a bubble of package testing/synctest with an etcd of its own: a
// seed decides which message goes next, how long it takes, and what breaks. It fails the test if what etcd, a cache or
// the test itself promised does not hold, and tells the shortest story of it.
//
// What f starts must end with its context, within a second. The test must not be in a bubble itself.
func Run(t *testing.T, c Config, f func(*T)) {
	t.Helper()
	server, err := c.setDefaults()
	if err != nil {
		t.Fatalf("etcdtest: %v", err)
	}
	defer alone(t)()
	if host.exact {
		// What packages do once in a process must be no part of the first schedule.
		warm := trial{seed: c.Seed}
		if c.one != nil {
			warm = *c.one
		}
		c.schedule(t, server, warm, f)
		defer host.begin(trial{}, "")
	}
	told, found := c.explore(t, server, f)
	t.Logf("etcdtest: %d schedules: %v", found.ran, found.judged)
	unfinished := found.unfinished(c.Schedules)
	switch {
	case told != nil && told.misread:
		t.Fatalf("etcdtest: %s", told.failed.sentence)
	case told != nil:
		if unfinished != "" {
			t.Logf("etcdtest: %s", unfinished)
		}
		t.Error(c.report(t, server, f, told, found))
	case unfinished != "":
		t.Errorf("etcdtest: %s", unfinished)
	case found.unjudged() != "":
		t.Errorf("etcdtest: %s: %s", t.Name(), found.unjudged())
	case c.Bug != "":
		t.Logf("etcdtest: %s did not show; `simrun run --bug %s` shows it", c.Bug, c.Bug)
	}
}

// found is what schedules came to: the seeds of those that failed, by what failed, and how much was judged.
type found struct {
	ran    int
	failed map[string][]uint64
	judged judged
	unanswered
}

// unanswered is how many reads of caches had no answer, and the last error of one.
type unanswered struct {
	times int
	last  error
}

func (u *unanswered) add(more unanswered) {
	u.times, u.last = u.times+more.times, cmp.Or(more.last, u.last)
}

// unjudged is what no verdict rests on though the test should have had one; empty if there is nothing.
func (f *found) unjudged() string {
	switch {
	case f.judged == judged{}:
		return "nothing was judged: have a client ask etcd for something"
	case f.judged.reads == 0 && f.times > 0:
		return fmt.Sprintf("no read of a cache was judged: T.List and T.Get had no answer %d times, the last error: %v", f.times, f.last)
	}
	return ""
}

// unfinished says why not all schedules ran; empty if all did.
func (f *found) unfinished(of int) string {
	if f.ran == of {
		return ""
	}
	return fmt.Sprintf("%d of %d schedules ran: the memory is full of what goroutines and packages keep from schedule to schedule", f.ran, of)
}

// judged counts what a verdict rests on.
type judged struct{ requests, watches, reads, deliveries int }

func (j judged) String() string {
	return fmt.Sprintf("%d requests to etcd and %d watches of it, %d reads and %d watches of caches judged", j.requests, j.watches, j.reads, j.deliveries)
}

// explore runs the schedules. It returns the failing schedule to report, nil if none fails.
func (c *Config) explore(t *testing.T, server etcd.Config, f func(*T)) (told *outcome, all found) {
	all.failed = map[string][]uint64{}
	for i := range c.Schedules {
		if host.isFull() {
			break
		}
		all.ran++
		one := trial{seed: c.Seed + uint64(i)}
		if c.one != nil {
			one = *c.one
		}
		o := c.schedule(t, server, one, f)
		all.judged.requests += o.judged.requests
		all.judged.watches += o.judged.watches
		all.judged.reads += o.judged.reads
		all.judged.deliveries += o.judged.deliveries
		all.unanswered.add(o.unanswered)
		if o.failed == nil {
			continue
		}
		all.failed[o.failed.String()] = append(all.failed[o.failed.String()], o.trial.seed)
		if told == nil || o.tellsMore(told) {
			told = o
		}
	}
	return told, all
}

// Check is Run for package rapid: draw draws what the test does, for f to do it, and rapid draws the seed and the
// faults too, and shrinks all of it. Faults are not more than those of the configuration.
func Check[V any](t *testing.T, c Config, draw func(*rapid.T) V, f func(*T, V)) {
	t.Helper()
	server, err := c.setDefaults()
	if err != nil {
		t.Fatalf("etcdtest: %v", err)
	}
	defer alone(t)()
	rapid.Check(t, func(r *rapid.T) {
		one, faults := c, *c.Faults
		for _, k := range kinds {
			if n := k.of(&faults); *n > 0 {
				*n = rapid.IntRange(0, *n).Draw(r, k.name)
			}
		}
		one.Faults = &faults
		seed, v := rapid.Uint64().Draw(r, "seed"), draw(r)
		if o := one.schedule(t, server, trial{seed: seed}, func(t *T) { f(t, v) }); o.failed != nil {
			r.Fatalf("etcdtest: %s: %s\n%s", c.etcd(), o.failed.sentence, o.tell(reportLines))
		}
	})
}

// T is a test in one schedule. It implements the interfaces that assertions want: require.NoError(t, err) ends the
// goroutine.
type T struct {
	config *Config
	run    *run
	ctx    context.Context
	rand   *rand.Rand

	mu sync.Mutex
	// running are the goroutines that have not ended, by name.
	running map[string]int
	// names are those of goroutines of Go, by what package runtime calls them.
	names map[string]string
	done  sync.WaitGroup
	// cleanups run when all of them have ended, ends close the clients.
	cleanups, ends []func()
	reads          []model.Operation
	deliveries     []*delivery
	unanswered     unanswered
	failure        string
	// failed is the tick of the failure.
	failed int64
}

// outcome is what a schedule came to.
type outcome struct {
	trial  trial
	failed *finding
	// struck are the faults that did.
	struck []*planned
	judged judged
	story  []line
	clock  *clock
	// passed are the turns that goroutines passed.
	passed []passedTurn
	// misread: the seed is of another configuration.
	misread    bool
	unanswered unanswered
}

// newT is a test in a schedule.
func (c *Config) newT(server etcd.Config, of trial) (*T, *planner, *story) {
	settle := synctest.Wait
	if host.exact {
		settle = of.settleSometimes()
	}
	p := c.begin(server, of, settle, true)
	told := &story{clock: p.run.clock}
	p.world.SetObserver(told)
	t := &T{config: c, run: p.run, running: map[string]int{}, names: map[string]string{}, rand: rand.New(rand.NewPCG(of.seed, 0))}
	if host.exact || c.told {
		p.run.goroutine = t.goroutine
	}
	return t, p, told
}

// runsAlone is the command that runs a trial of a test alone.
func runsAlone(t *testing.T, of trial) string {
	return fmt.Sprintf("%s=%v %s -run '^%s$'", seedVariable, of, host.command, strings.ReplaceAll(t.Name(), "/", "$/^"))
}

// schedule runs one schedule. It ends the test if that never ends by a real clock.
func (c *Config) schedule(t *testing.T, server etcd.Config, of trial, f func(*T)) (o *outcome) {
	host.begin(of, runsAlone(t, of))
	outside, over := never, make(chan any, 1)
	go func() {
		defer func() { over <- recover() }()
		o = c.bubble(t, server, of, f)
	}()
	late := time.NewTimer(tooLong)
	defer late.Stop()
	select {
	case p := <-over:
		if p != nil {
			panic(p)
		}
		if o.failed != nil {
			o.passed = passedTurns()
		}
		return o
	case <-late.C:
		// The bubble is left as it is.
		never = outside
		t.Fatalf("etcdtest: seed %v takes more than %v. A goroutine spins, or waits for what a bubble does not know, such as a mutex:\n%s\nrun it alone: %s",
			of, tooLong, strings.Join(undecided(), "\n"), runsAlone(t, of))
		return nil
	}
}

// bubble runs a schedule in a bubble of its own.
func (c *Config) bubble(t *testing.T, server etcd.Config, of trial, f func(*T)) (o *outcome) {
	o = &outcome{trial: of}
	left := ""
	defer func() {
		// Package synctest panics because of a goroutine that is left, which stays where it is.
		if p := recover(); p != nil && left == "" {
			panic(p)
		}
		if left != "" && o.failed == nil {
			o.failed = &finding{by: byTest, promise: "over", sentence: "a goroutine is left when T.Context has ended. There it waits:\n" + left}
		}
	}()
	synctest.Test(t, func(*testing.T) {
		defer enter()()
		s, plan, told := c.newT(server, of)
		ctx, cancel := context.WithCancel(context.Background())
		s.ctx = ctx
		go s.run.loop.run()
		if n := len(plan.all); slices.ContainsFunc(of.only, func(fault int) bool { return fault >= n }) {
			o.misread = true
			s.Errorf("%s=%v is of another configuration: this one has %d faults", seedVariable, of, n)
		}
		s.Go("test", func() { f(s) })
		ended := make(chan struct{})
		go func() {
			s.done.Wait()
			for _, f := range slices.Backward(s.cleanups) {
				s.Go("cleanup", f)
				s.done.Wait()
			}
			close(ended)
		}()
		for end := time.After(c.Horizon); end != nil; {
			select {
			case <-ended:
				end = nil
			case <-end:
				now := s.run.loop.now()
				if now-sim.Time(s.run.loop.wrote.Load()) < sim.Time(writing) && now < sim.Time(longest*c.Horizon) {
					end = time.After(writing)
					continue
				}
				s.stuck()
				end = nil
			}
		}
		cancel()
		select {
		case <-ended:
		case <-time.After(c.Horizon):
		}
		for _, end := range s.ends {
			end()
		}
		s.catchUp()
		// A goroutine that sleeps sees the end of the context late.
		time.Sleep(grace)
		s.run.loop.stop()
		synctest.Wait()
		for _, stack := range bubbleStacks(func(stack string) bool { return !strings.Contains(stack, "testing/synctest.") }) {
			if w := waitsAt(stack); left == "" || w != "" {
				left = cmp.Or(w, stack)
			}
		}
		o.failed = s.judge(s.run.etcd)
		for _, f := range plan.all {
			if f.struck && of.has(f.number) {
				o.struck = append(o.struck, f)
			}
		}
		o.story, o.clock = told.lines, s.run.clock
		o.judged.reads, o.unanswered = len(s.reads), s.unanswered
		for _, d := range s.deliveries {
			if d.by == byCache {
				o.judged.deliveries++
			}
		}
		for _, p := range s.run.loop.processes[:c.Clients] {
			o.judged.requests += len(p.operations)
			o.judged.watches += len(p.watches)
		}
	})
	return o
}

// grace is how long a goroutine may go on when T.Context has ended.
const grace = time.Second

// catchUp waits until the leader has carried out what is committed: a follower may have shown it already.
func (t *T) catchUp() {
	for waits := true; waits && t.config.Follower; time.Sleep(100 * time.Millisecond) {
		looked := make(chan struct{})
		t.run.loop.post(happening{firstProcess, calls, "", func(*sim.Env) { waits = t.run.etcd.Waits(); close(looked) }})
		<-looked
	}
}

// Client returns a client in a process of its own.
func (t *T) Client() *clientv3.Client {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := t.next()
	client, end, err := t.run.connect()
	if err != nil {
		panic(err)
	}
	client.Watcher = &watcher{client.Watcher, t, name, client.Ctx().Done()}
	t.ends = append(t.ends, end)
	return client
}

// ClientConfig returns the configuration of a client in a process of its own, for code that makes its client by itself,
// and must close it. Its endpoint is that of the process alone. Its watches are judged as etcd sends them.
func (t *T) ClientConfig() clientv3.Config {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next()
	config, end := t.run.serve()
	t.ends = append(t.ends, end)
	return config
}

// next is the name of the next process.
func (t *T) next() string {
	if t.run.used == t.config.Clients {
		panic(fmt.Sprintf("etcdtest: a schedule has %d clients: set Config.Clients to more", t.config.Clients))
	}
	return processName(t.run.used)
}

// Context ends with the schedule.
func (t *T) Context() context.Context { return t.ctx }

// Rand draws by the seed. It is for one goroutine.
func (t *T) Rand() *rand.Rand { return t.rand }

// Go runs f in a goroutine with a name. The schedule lasts until all of them have ended: a goroutine that reads a watch
// until T.Context ends is begun by a go statement.
func (t *T) Go(name string, f func()) {
	t.done.Add(1)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running[name]++
	nameGoroutine(name)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("%s: panic: %v\nat %s", name, p, waitsAt(string(debug.Stack())))
			}
			t.mu.Lock()
			delete(t.names, goroutine())
			t.running[name]--
			t.mu.Unlock()
			t.done.Done()
		}()
		t.mu.Lock()
		t.names[goroutine()] = name
		t.mu.Unlock()
		f()
	}()
}

// Cleanup has f run when all goroutines have ended, with clients that are still open: what must hold of the whole
// schedule is asserted there. What was added last runs first.
func (t *T) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

// Eventually fails the schedule unless holds returns true within a time after the last fault.
func (t *T) Eventually(within time.Duration, what string, holds func() bool) {
	until := time.Duration(max(0, int64(t.config.Faults.Within)-int64(t.run.loop.now()))) + within
	for deadline := time.Now().Add(until); !holds(); time.Sleep(50 * time.Millisecond) {
		if t.ctx.Err() != nil || time.Now().After(deadline) {
			t.Errorf("%s: not within %v after the last fault", what, within)
			return
		}
	}
}

// Errorf fails the schedule.
func (t *T) Errorf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure == "" {
		t.failed = t.run.clock.tick()
		t.failure = strings.TrimSpace(fmt.Sprintf(format, args...))
	}
}

// FailNow fails the schedule and ends the goroutine.
func (t *T) FailNow() {
	t.Errorf("FailNow was called")
	runtime.Goexit()
}

// Fatalf fails the schedule and ends the goroutine.
func (t *T) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}

// Helper is for assertions.
func (*T) Helper() {}

// tooLong is the time by a real clock that a schedule takes at most. Most take some milliseconds.
var tooLong = time.Minute

// notOver is said of a schedule whose goroutines have not ended.
const notOver = "not over after"

// stuck fails a schedule whose goroutines have not ended.
func (t *T) stuck() {
	t.mu.Lock()
	var names []string
	for name, n := range t.running {
		if n > 0 {
			names = append(names, name)
		}
	}
	t.mu.Unlock()
	slices.Sort(names)
	var waits []string
	for _, stack := range bubbleStacks(func(stack string) bool { return strings.Contains(stack, startedByGo) }) {
		if w := waitsAt(stack); !slices.Contains(waits, w) && len(waits) < 3 {
			waits = append(waits, w)
		}
	}
	t.Errorf("%s: "+notOver+" %v (Config.Horizon). There it waits:\n%s", strings.Join(names, ", "), t.config.Horizon, strings.Join(waits, "\n"))
}

func processName(i int) string { return fmt.Sprintf("client-%d", i+1) }
