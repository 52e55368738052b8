package clusterbed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"

	"github.com/watchbed/watchbed/upstream/clusternode"
	"github.com/watchbed/watchbed/upstream/disk"
	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/stories"
)

// Config is what is judged, and in which world.
type Config struct {
	// Guests are the names of compiled guests, cluster@v3.6.16, one for each member, or one for all of the Members.
	Guests []string `json:"guests,omitempty"`
	// Next is the guest that members are upgraded to.
	Next    string `json:"next"`
	Members int    `json:"members"`
	// Spares are machines more, on which there is no member until the operator adds one.
	Spares int `json:"spares"`
	// Member is how each server is started, Disk how its machine loses what is not durable.
	Member protocol.Member     `json:"member"`
	Disk   disk.Options        `json:"disk"`
	Choice clusternode.Choices `json:"choices"`

	// Warm: a run begins with members that have a leader, which were booted once for all runs.
	Warm bool `json:"warm"`

	// Clients is how many there are, Operations how many each of them asks for, on so many Keys. Think is how long a
	// client waits at most before each.
	Clients    int           `json:"clients"`
	Operations int           `json:"operations"`
	Keys       int           `json:"keys"`
	Think      time.Duration `json:"think"`
	// Shares is how likely each kind of operation is.
	Shares Shares `json:"shares"`
	// ValueBytes is how many bytes a large value has, beside what makes it one that is written once.
	ValueBytes int `json:"valueBytes"`
	// Observe is how much time there is at most between two looks at what some member says of itself, 0 for no looks.
	Observe time.Duration `json:"observe"`
	// Caches is how many API servers there are, whose cacher is the design Cache, each before a member of its own, with
	// Readers that LIST.
	Cache   string `json:"cache"`
	Caches  int    `json:"caches"`
	Readers int    `json:"readers"`
	// Watchers watch all keys, from the first revision on, or from one of the first Ahead.
	Watchers int `json:"watchers"`
	Ahead    int `json:"ahead"`
	// Progress is how often each requests progress, 0 is never.
	Progress time.Duration `json:"progress"`
	// Negative are watchers more, which ask for revision -1 again and again.
	Negative int `json:"negative"`
	// Holders have a lease each, of TTL, and keep it alive.
	Holders int           `json:"holders"`
	TTL     time.Duration `json:"ttl"`
	// Auth: etcd authenticates clients, watchers and holders, which are users that may do more or less.
	Auth bool `json:"auth"`

	// Faults is how often what may break, until For. Boot is how long the cluster has before that.
	Faults Faults        `json:"faults"`
	Boot   time.Duration `json:"boot"`
	For    time.Duration `json:"for"`
	// Network is how long a message takes at most until For. Then a tenth of that.
	Network time.Duration `json:"network"`
	// Settle is how long the members have after For until each must read and write again, and have the same data.
	Settle time.Duration `json:"settle"`

	// Without are parts that runs do without, as shrinking names them.
	Without []string `json:"without,omitempty"`
}

// Shares are those of the kinds of operations.
type Shares struct {
	Get          int `json:"get"`
	List         int `json:"list"`
	Serializable int `json:"serializable"`
	Put          int `json:"put"`
	Delete       int `json:"delete"`
	Txn          int `json:"txn"`
	// Past are writes in a transaction with a read of the past.
	Past    int `json:"past"`
	Compact int `json:"compact"`
	// Rewrite are writes in a transaction that deletes all keys from that one on before.
	Rewrite int `json:"rewrite"`
	// Large are puts of values of ValueBytes.
	Large int `json:"large"`
	// Previous are puts in a transaction that ask for what was there before.
	Previous int `json:"previous"`
	// Nested are puts in a transaction that is in another one.
	Nested int `json:"nested"`
}

// Faults are what may break, each of them as often as it says for each member. In each run some kinds of them do.
type Faults struct {
	Kills       int `json:"kills"`
	PowerLosses int `json:"powerLosses"`
	Pauses      int `json:"pauses"`
	// Starvations have one goroutine of a member get no processor for some time, while its others run.
	Starvations int `json:"starvations"`
	Stalls      int `json:"stalls"`
	// Fulls have a disk be full for some time, IOErrors a write or a sync fail. ClockJumps have a clock go forward, by
	// up to ClockJump. Upgrades stop a member, which goes on with the guest Next.
	Fulls      int           `json:"fulls"`
	IOErrors   int           `json:"ioErrors"`
	ClockJumps int           `json:"clockJumps"`
	ClockJump  time.Duration `json:"clockJump"`
	Upgrades   int           `json:"upgrades"`
	// Partitions cut a member off from the others, OneWays hold back what it sends to them, Breaks break a stream
	// between two of them, Losses one of a client.
	Partitions int `json:"partitions"`
	OneWays    int `json:"oneWays"`
	Breaks     int `json:"breaks"`
	Losses     int `json:"losses"`
	// Restarts are of API servers.
	Restarts int `json:"restarts"`
	// Changes are of the members: one is added, as a learner that is promoted or as a voter, removed, or replaced, by
	// one on another machine or on the same one. They are for the whole cluster.
	Changes int `json:"changes"`
	// AuthChanges are of what users may do: of users, passwords, roles and their permissions, and that there is
	// authentication. They are for the whole cluster.
	AuthChanges int `json:"authChanges"`
	// Moves have the leader be another member, Defragments a member defragment its backend. They are for the whole
	// cluster.
	Moves       int `json:"moves"`
	Defragments int `json:"defragments"`
	// Flips change a bit of a file on a disk, of a minority of the members at most. Nothing is claimed of such a
	// member, which may end, and everything of the others.
	Flips int `json:"flips"`
	// StreamCuts hold back what a member is sent by another one on one of its ways: MsgApp, other messages of raft, or
	// snapshots. Outages cut a member off as partitions do, and break its streams in the end: what is under way then is
	// lost.
	StreamCuts int `json:"streamCuts"`
	Outages    int `json:"outages"`
	// Updates have a member be listed with another URL, or with two. They are for the whole cluster.
	Updates int `json:"updates"`
	// ForceNewClusters, one at most, lose all members but one with their disks. That one is restarted with
	// --force-new-cluster, and the others are added again. What its clients were told stays, and what the others alone
	// said may be lost.
	ForceNewClusters int `json:"forceNewClusters"`
	// Backups copy the disks of all members at one moment, and restore them later, without new revisions. What was
	// told until the copy stays, and what was told behind it is lost. RevisionBump: one at most is, by etcdutl
	// snapshot restore out of the database of one member, with revisions that are so much higher and compacted.
	Backups      int `json:"backups"`
	RevisionBump int `json:"revisionBump"`
	// All: in each run all kinds of them.
	All bool `json:"all"`
}

// Default is a small world: three members, of which each may be killed, paused and cut off.
func Default(guests ...string) Config {
	return Config{
		Guests: guests, Members: 3, Warm: true, Member: protocol.Member{SnapshotCount: 20, SnapshotCatchUpEntries: 10, PreVote: true, InitialElectionTickAdvance: true},
		Choice:  clusternode.Choices{Down: 2 * time.Second},
		Clients: 3, Operations: 10, Keys: 3, Think: time.Second,
		Shares:   Shares{Get: 2, List: 1, Serializable: 1, Put: 5, Delete: 1, Txn: 1},
		Watchers: 2, Progress: time.Second,
		Faults: Faults{Kills: 1, PowerLosses: 1, Pauses: 2, Stalls: 2, Partitions: 2, Breaks: 1, Moves: 1},
		For:    8 * time.Second, Network: 20 * time.Millisecond, Settle: 30 * time.Second, TTL: 3 * time.Second,
	}
}

// Subjects is what makes subjects, as a campaign wants it.
func (c Config) Subjects() (subjects func() explore.Subject, err error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	defer func() {
		if failed := recover(); failed != nil {
			err = fmt.Errorf("%d machines do not fit in here: %v", c.machines(), failed)
		}
	}()
	modules := map[string]*engine.Module{}
	var of []*engine.Module
	for i, guest := range c.guests() {
		if modules[guest] == nil {
			m, err := node.Load(guest, protocol.Cluster, clusternode.Beginning)
			if err != nil {
				return nil, err
			}
			modules[guest] = m
		}
		if i < c.machines() {
			of = append(of, modules[guest])
		}
	}
	var design *cache.Design
	if c.Cache != "" {
		var err error
		if design, err = cache.FindDesign(c.Cache); err != nil {
			return nil, err
		}
		if !design.OwnNode() {
			return nil, fmt.Errorf("the cache %s is simulated: want a compiled guest, such as kubernetes@v0.37.2", c.Cache)
		}
		c.Caches = max(c.Caches, 1)
	}
	if err := boots(c, of, modules[c.Next], design); err != nil {
		return nil, err
	}
	return func() explore.Subject { return newSubject(c, of, modules[c.Next], design) }, nil
}

// NotBooted is that a cluster does not come to have a leader where nothing breaks.
type NotBooted struct{ why any }

// Error implements error.
func (e *NotBooted) Error() string { return fmt.Sprintf("the cluster does not boot: %v", e.why) }

// boots reports why a cluster does not come to have a leader, where nothing breaks: a member panics or spins, or there
// is no memory for it.
func boots(c Config, of []*engine.Module, next *engine.Module, design *cache.Design) (err error) {
	defer func() {
		failed := recover()
		if failed != nil && strings.Contains(fmt.Sprint(failed), "no address space") {
			panic(failed)
		}
		if failed != nil {
			err = &NotBooted{failed}
		}
	}()
	newSubject(c, of, next, design)
	return nil
}

func (c *Config) complete() error {
	for _, guest := range c.guests() {
		if !strings.HasPrefix(guest, "cluster@") {
			return fmt.Errorf("%s is no guest that is a member of a cluster: want one such as cluster@v3.6.16", guest)
		}
		if plain, _, odd := strings.Cut(guest, ":"); odd {
			return fmt.Errorf(`%s: want %s, and how goroutines of members are scheduled in the configuration, as in {"choices": {"locks": true}}`, guest, plain)
		}
	}
	switch {
	case len(c.Guests) == 0:
		return errors.New("no guest is named: give one, such as cluster@v3.6.16")
	case c.Members < 1 || c.Members > 5:
		return fmt.Errorf("%d members: want 1 to 5", c.Members)
	case c.Spares < 0 || c.machines() > 8:
		return fmt.Errorf("%d machines: want 8 at most", c.machines())
	case len(c.Guests) != 1 && len(c.Guests) != c.Members && len(c.Guests) != c.machines():
		return fmt.Errorf("%d guests for %d members: want one, or one for each", len(c.Guests), c.Members)
	}
	for len(c.Guests) < c.machines() {
		c.Guests = append(slices.Clip(c.Guests), c.Guests[len(c.Guests)-1])
	}
	if err := c.apart(); err != nil {
		return err
	}
	switch n := c.Faults.ForceNewClusters; {
	case c.Cache == "" && c.Caches+c.Readers > 0:
		return errors.New(`caches and readers: want the cache that they are of, such as "cache": "kubernetes@v0.37.2"`)
	case c.Network > slowest:
		return fmt.Errorf("network is %v: members elect no leader then, want %v at most", c.Network, slowest)
	case c.Faults.Changes > 0 && c.Faults.Updates > 0:
		return errors.New("the members change: want no updates of members, since one that is added is told the first URLs of the others")
	case c.Faults.Changes > 0 && c.Cache != "":
		return errors.New("the members change: want no caches, each of which has a member of its own")
	case c.Auth && c.Cache != "":
		return errors.New("etcd authenticates clients: want no caches, which are no users")
	case c.Auth && !c.Warm:
		return errors.New("etcd authenticates clients: want warm, which makes the users")
	case c.Faults.Flips > 0 && (c.Members < 3 || c.Cache != "" || c.Auth || c.Holders > 0 || c.Observe > 0 || c.Faults.Changes > 0):
		return errors.New("bits are flipped: want three members at least, which stay, and no caches, auth, holders and observe, which rest on each of them")
	case n > 1 || n == 1 && (c.Members < 2 || c.Cache != "" || c.Auth || c.Holders > 0 || c.Faults.Changes+c.Faults.Updates+c.Faults.Flips > 0):
		return errors.New("all members but one are lost: want that once at most, two members at least, and no caches, auth, holders, changes, updates and flips")
	case c.Faults.Backups > 0 && (c.Spares > 0 || c.Cache != "" || c.Auth || c.Holders > 0 || c.Observe > 0 || c.Faults.ForceNewClusters+c.Faults.Updates+c.Faults.Flips > 0):
		return errors.New("backups are restored: want no spares, caches, auth, holders, observe, forceNewClusters, updates and flips")
	case c.Faults.RevisionBump > 0 && c.Faults.Backups != 1:
		return errors.New("revisionBump is of a backup: want backups to be 1")
	case c.Faults.AuthChanges > 0 && !c.Auth:
		return errors.New("what users may do changes: want auth, without which there are none")
	case (c.Next == "") != (c.Faults.Upgrades == 0):
		return errors.New(`faults.upgrades and next go together: next is the guest that members are upgraded to, such as "cluster@v3.7.3"`)
	case c.Settle < time.Second:
		return fmt.Errorf("settle is %v: want a second at least, in which members may recover", c.Settle)
	case c.Holders > 0 && c.TTL < minTTL:
		return fmt.Errorf("ttl is %v: want %v at least, which etcd grants in any case", c.TTL, minTTL)
	}
	known := map[string]int{}
	for _, k := range c.parts() {
		for _, p := range k.Parts {
			known[p]++
		}
	}
	for part, n := range count(c.Without) {
		if n > known[part] {
			return fmt.Errorf("%q is left out, and there is no such part", part)
		}
	}
	if name := negative(reflect.ValueOf(c).Elem()); name != "" {
		return fmt.Errorf("%s is negative", name)
	}
	if c.Clients < 1 || c.Keys < 1 || len(c.Shares.kinds()) == 0 {
		return fmt.Errorf("%d clients on %d keys: want one of each at least, and a kind of operation", c.Clients, c.Keys)
	}
	return nil
}

// slowest is half of etcd's default election timeout.
const slowest = 500 * time.Millisecond

// apart reports releases that etcd does not let be members of one cluster, and an older one that a member is to go on
// with.
func (c *Config) apart() error {
	if err := guests.Apart(c.Guests); err != nil {
		return err
	}
	for _, one := range c.Guests {
		a, known := guests.Minor(one)
		if b, too := guests.Minor(c.Next); known && too && (b < a || b > a+1) {
			return fmt.Errorf("members of %s go on with %s: etcd lets the same minor version or the next one do so", one, c.Next)
		}
	}
	return nil
}

// negative is the first number that is, by its name in JSON, empty if none is.
func negative(of reflect.Value) string {
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Type().Field(i).Tag.Get("json"), ",")
		switch f := of.Field(i); f.Kind() {
		case reflect.Int, reflect.Int64:
			if f.Int() < 0 {
				return name
			}
		case reflect.Struct:
			if within := negative(f); within != "" {
				return name + "." + within
			}
		}
	}
	return ""
}

// guests are those of members, and the one that they are upgraded to.
func (c *Config) guests() []string {
	if c.Next == "" {
		return slices.Clone(c.Guests)
	}
	return append(slices.Clone(c.Guests), c.Next)
}

// machines is how many there are on which a member can be.
func (c *Config) machines() int { return c.Members + c.Spares }

// Steps is how many steps a run has at most.
const Steps = 200_000

// minTTL is one and a half election timeouts, in full seconds.
const minTTL = 2 * time.Second

// Title says what is judged.
func (c *Config) Title() string {
	title := fmt.Sprintf("%s of %s", sim.Some(c.Members, "member"), strings.Join(c.Guests, ", "))
	if c.Cache != "" {
		title += ", and " + sim.Some(max(c.Caches, 1), "API server") + " of " + c.Cache
	}
	return title
}

// Text is the configuration as JSON.
func (c *Config) Text() string {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		// It has numbers and texts alone.
		panic(err)
	}
	return string(withWords(text))
}

// Recorded is what makes subjects of the configuration in a recording.
func Recorded(rec *recording.Recording) (func() explore.Subject, error) {
	c, err := recorded(rec)
	if err != nil {
		return nil, err
	}
	return c.Subjects()
}

func recorded(rec *recording.Recording) (Config, error) {
	text, err := stories.Configuration(rec, "a cluster")
	if err != nil {
		return Config{}, err
	}
	c, err := decode([]byte(text), Config{})
	c.Guests = strings.Fields(rec.Scenario)
	return c, err
}

// Parse is a configuration with what a person says otherwise, in JSON with durations in words.
func Parse(text []byte, c Config) (Config, error) {
	text, err := withNumbers(text)
	if err != nil {
		return c, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	return decode(text, c)
}

// decode is Parse for durations in nanoseconds.
func decode(text []byte, c Config) (Config, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return c, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	if d.More() {
		return c, errors.New("the configuration cannot be read: something stands behind the object")
	}
	return c, nil
}
