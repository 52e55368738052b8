package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// hunting runs the scenarios of the catalogue over the code that ships, with seeds that were not run before, for as
// long as it is told to, and keeps what it found. It is written after each turn of a scenario, so that an interrupt
// loses one turn. The reason of a violation is what is known of the scenario with the simulated design of the guest's
// release: the test says where there is none. A false alarm is mended, and its seeds run again.
var hunting = &hunt{table: table[lot]{
	name: "hunt", about: "how many schedules the scenarios ran over guests, and what they violate", amiss: amissInHunt, render: renderHunt,
	decode: decodeLots, encode: encodeLots,
}}

type hunt struct {
	table[lot]
	limit  time.Duration
	guests string
}

// shipped are the guests that are hunted unless others are named.
var shipped = []string{
	"kubernetes@v0.37.2", "kubernetes@v0.37.2:locks", "kubernetes@v0.37.2:late", "kubernetes@v0.37.2:locks:late",
	"kubernetes@v0.38.0-alpha.2", "kubernetes@v0.38.0-alpha.2:locks", "kubernetes@v0.38.0-alpha.2:late", "kubernetes@v0.38.0-alpha.2:locks:late",
}

func (h *hunt) flags(f *flag.FlagSet) {
	f.DurationVar(&h.limit, "for", 10*time.Minute, "how long to go on")
	f.StringVar(&h.guests, "guests", strings.Join(shipped, ","), "the guests, with commas between them")
}

// check has no keys to hold rows to: a guest may be any.
func (h *hunt) check() ([]string, error) {
	lots, err := h.read()
	return h.amiss(lots), err
}

// lot is what was run of a scenario over a guest so far.
type lot struct {
	// Guest and Etcd are those of the group in the file.
	Guest    string `json:"-"`
	Etcd     string `json:"-"`
	Scenario string
	// Schedules ran, from seed hunted on: one for each seed.
	Schedules uint64
	// Found are the claims that were violated.
	Found []found `json:",omitempty"`
}

// group are the lots of a guest, in front of one etcd, as the file has them.
type group struct {
	Guest, Etcd string
	Lots        []lot
}

// decodeLots has the lots of a scenario side by side.
func decodeLots(text []byte) (all []lot, err error) {
	var groups []group
	err = json.Unmarshal(text, &groups)
	first := map[string]int{}
	for _, g := range groups {
		for _, l := range g.Lots {
			l.Guest, l.Etcd = g.Guest, g.Etcd
			all = append(all, l)
			if _, known := first[l.Scenario]; !known {
				first[l.Scenario] = len(first)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b lot) int { return first[a.Scenario] - first[b.Scenario] })
	return all, err
}

// encodeLots has a line for each lot.
func encodeLots(all []lot) ([]byte, error) {
	var groups []group
	for _, l := range all {
		i := slices.IndexFunc(groups, func(g group) bool { return g.Guest == l.Guest && g.Etcd == l.Etcd })
		if i < 0 {
			i, groups = len(groups), append(groups, group{Guest: l.Guest, Etcd: l.Etcd})
		}
		groups[i].Lots = append(groups[i].Lots, l)
	}
	text, err := json.Marshal(groups)
	return append(bytes.ReplaceAll(text, []byte(`{"Scenario"`), []byte("\n{\"Scenario\"")), '\n'), err
}

// found is a way in which a claim is violated.
type found struct {
	Property, Label string
	// Schedules is how many violate it so, Seed the first of them.
	Schedules, Seed uint64
}

// hunted is the seed of the first schedule: the table of verdicts has those below it.
const hunted = 1_000

func (l lot) key() key { return key{l.Scenario, l.Guest + " " + l.Etcd} }

func (l lot) String() string { return l.Guest + ": " + l.Scenario }

// huntParams are those of a scenario over a guest.
func huntParams(sc *testbed.Scenario, guest string) testbed.Params {
	p := sc.Params
	p.Cache, p.Etcd = guest, newEtcd
	return p
}

// add takes in what one turn has found.
func (l *lot) add(f found) {
	i := slices.IndexFunc(l.Found, func(x found) bool { return x.Property == f.Property && x.Label == f.Label })
	if i < 0 {
		l.Found = append(l.Found, f)
		return
	}
	l.Found[i].Schedules += f.Schedules
}

// turn is how long a scenario runs before it is the next one's turn. To start a guest takes about a second, on one
// processor.
const turn = 10 * time.Second

// run runs scenarios in turn.
func (h *hunt) run(ctx context.Context, names []string) ([]string, error) {
	guests := strings.Split(h.guests, ",")
	keys := scenarioKeys(func(*testbed.Scenario) []string { return guests })
	if err := checkNames(names, keys); err != nil {
		return nil, err
	}
	lots, err := h.read()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	for time.Since(began) < h.limit && ctx.Err() == nil {
		before := schedulesOf(lots)
		for _, k := range keys {
			if len(names) > 0 && !slices.Contains(names, k.of) {
				continue
			}
			if time.Since(began) >= h.limit || ctx.Err() != nil {
				break
			}
			if lots, err = take(ctx, lots, k.of, k.on); err != nil {
				return nil, fmt.Errorf("%s over %s: %w", k.of, k.on, err)
			}
			if err := h.write(lots); err != nil {
				return nil, err
			}
		}
		if schedulesOf(lots) == before {
			return nil, errors.New("none of these scenarios has a cache that could be a guest")
		}
		fmt.Printf("%d schedules after %v\n", schedulesOf(lots), time.Since(began).Round(time.Second))
	}
	return h.amiss(lots), nil
}

// take gives a scenario its turn over a guest. One that cannot be put together with it has none.
func take(ctx context.Context, lots []lot, scenario, guest string) ([]lot, error) {
	sc, err := testbed.FindScenario(scenario)
	if err != nil {
		return nil, err
	}
	p := huntParams(sc, guest)
	s, err := sc.New(p)
	if err != nil || len(s.Caches()) == 0 {
		return lots, nil //nolint:nilerr // The table of verdicts has what cannot be put together, and why.
	}
	of := lot{Guest: guest, Scenario: scenario, Etcd: newEtcd}
	l := find(lots, of.key())
	if l == nil {
		lots = append(lots, of)
		l = &lots[len(lots)-1]
	}
	r, err := run(ctx, sc, &p, campaign.Config{FirstSeed: hunted + l.Schedules, For: turn})
	if err != nil {
		return nil, err
	}
	l.Schedules += r.Schedules
	for _, f := range r.Failures {
		l.add(found{f.Failure.Property, f.Failure.Label, f.Schedules, f.FirstSeed})
	}
	return lots, nil
}

func schedulesOf(lots []lot) uint64 {
	var n uint64
	for i := range lots {
		n += lots[i].Schedules
	}
	return n
}

// reason is why a guest violates a property: what is known of the scenario with the simulated design of its release,
// empty if nothing is.
func (l *lot) reason(property string) string {
	sc, err := overGuest(l.Scenario)
	if err != nil {
		return ""
	}
	p := huntParams(sc, l.Guest)
	if because := explained(known.Violations(sc, &p), property); because != nil {
		return "known: " + because[0]
	}
	return ""
}

// amissInHunt are the violations without a reason.
func amissInHunt(lots []lot) []string {
	var all []string
	for i := range lots {
		l := &lots[i]
		for _, f := range l.Found {
			if l.reason(f.Property) == "" {
				all = append(all, fmt.Sprintf("%s over %s violates %s (%s) in %d schedules, first with seed %d, and there is no reason for it",
					l.Scenario, l.Guest, f.Property, f.Label, f.Schedules, f.Seed))
			}
		}
	}
	return all
}

const huntHead = `# Schedules of the code that ships, counted

` + "`go run ./measure hunt -for 1h`" + ` in the folder upstream goes on with the scenarios of the catalogue, in front of etcd ` + newEtcd + `, with seeds that were not run before: a turn of
ten seconds of each scenario over each guest, again and again. ` + "`go test ./measure`" + ` holds each violation to a reason, and ` + "`go run ./measure hunt -page`" + ` prints this page of hunt.json.
With ` + "`:locks`" + ` behind its name a guest's goroutines give way at locks, too; with ` + "`:late`" + ` those that can run may do so only after messages have come and timers have fired. Each schedule is a lifetime of an API server or of several, judged by all that the scenario claims.
A first seed is that of the guest as it was compiled then: a guest that is compiled from other sources has other schedules with the same seeds.

| guest | scenarios | |
|---|---|---|
`

func renderHunt(lots []lot) (string, error) {
	var b strings.Builder
	b.WriteString(huntHead)
	var guests []string
	for i := range lots {
		if !slices.Contains(guests, lots[i].Guest) {
			guests = append(guests, lots[i].Guest)
		}
	}
	for _, guest := range guests {
		mine := slices.DeleteFunc(slices.Clone(lots), func(l lot) bool { return l.Guest != guest })
		fmt.Fprintf(&b, "| %s | %d | %s |\n", guest, len(mine), counted(schedulesOf(mine)))
	}
	b.WriteString("\n## Violated\n\n| scenario | guest | of | violated | first seed | |\n|---|---|---|---|---|---|\n")
	for i := range lots {
		l := &lots[i]
		for _, f := range l.Found {
			fmt.Fprintf(&b, "| %s | %s | %s | **%s** (%s) in %s | %d | %s |\n", l.Scenario, l.Guest, counted(l.Schedules), f.Property, f.Label,
				counted(f.Schedules), f.Seed, cmp.Or(l.reason(f.Property), "**not examined**"))
		}
	}
	return b.String(), nil
}

func counted(n uint64) string { return report.Counted(n, "schedule") }
