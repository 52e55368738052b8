package report

import (
	"bufio"
	"context"
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/scenarios"
)

// Claim is a figure of one of the documents, held to what is measured.
type Claim struct {
	Document string `json:"document"`
	Says     string `json:"says"`
	Where    string `json:"where"`
	Measured string `json:"measured"`
	// BorneOut: the measurement says the same as the document.
	BorneOut bool `json:"borneOut"`
	// Why is the reason for what was measured.
	Why       string `json:"why"`
	Schedules uint64 `json:"schedules"`
	Command   string `json:"command"`
}

// claim is what is known of a claim before it is measured. The figures are
// written down from the documents.
type claim struct {
	document, says, where, why string
	scenario                   string
	params                     []scenarios.Parameter
	// share of the seeds of a campaign of cost: rare values want more runs.
	share    uint64
	measured func(measurements) (text string, borneOut bool)
}

const (
	kep2340   = "KEP-2340"
	kep3157   = "KEP-3157"
	draft2019 = "draft of 2019"

	saysReadWait = "99 of 100 reads wait less than 200 ms, with a progress request every 100 ms"
	saysAverage  = "a progress notification every 250 ms adds 125 ms on average"
	saysDetect   = "a cache can tell whether etcd sends progress notifications by when it received the last one"
	saysSix      = "the end of the initial events comes after at most 6 s, with notifications every 5 s and bookmarks every second"
)

var (
	drafted  = []scenarios.Parameter{{Name: "cache", Value: "draft-2019"}, {Name: "notify", Value: "250ms"}}
	trusting = scenarios.Parameter{Name: "bugs", Value: "notify-detection=off"}
	steadily = []scenarios.Parameter{{Name: "reads", Value: "30"}, {Name: "noise-for", Value: "10s"}, {Name: "noise-writes", Value: "1000"}}
	// Two writes a second of the resource, for as long as others are written.
	nowAndThen = []scenarios.Parameter{{Name: "writers", Value: "1"}, {Name: "writes", Value: "40"}, {Name: "think", Value: "1s"}}
)

func join(lists ...[]scenarios.Parameter) []scenarios.Parameter {
	var all []scenarios.Parameter
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

var claims = []claim{
	{kep2340, saysReadWait, "other resources are written",
		"a read that waits is at most one period away from the next request, whoever writes",
		"cost-elsewhere", nil, 1, readWaitBelow},
	{kep2340, saysReadWait, "the resource and others are written",
		"most events come before the next request is due",
		"cost-busy", nil, 1, readWaitBelow},
	{kep2340, saysReadWait, "on etcd 3.5.12",
		"progress that was deferred never comes (etcd #17507): the reads wait for the full 3 s",
		"cost-elsewhere", []scenarios.Parameter{{Name: "etcd", Value: "3.5.12"}}, 1, readWaitBelow},
	{kep2340, saysReadWait, "50 ms to etcd, one way",
		"request and notification are under way for longer than the period",
		"cost-elsewhere", []scenarios.Parameter{{Name: "network", Value: "50ms"}}, 1, readWaitBelow},
	{draft2019, saysAverage, "the resource is not written",
		"half an interval, and half of etcd's jitter of up to 10 %",
		"cost-elsewhere", join(drafted, []scenarios.Parameter{trusting}, steadily), 1, averageIs125},
	{draft2019, saysAverage, "the resource is written twice a second",
		"etcd's ticker leaves out a watch that was sent an event since the last tick: reads wait for up to two intervals",
		"cost-busy", join(drafted, []scenarios.Parameter{trusting}, steadily, nowAndThen), 1, averageIs125},
	{draft2019, saysDetect, "the resource is written 32 times a second",
		"a watch that is always sent events is left out at every tick: it looks like a server that sends no notifications",
		"cost-busy", join(drafted, steadily, []scenarios.Parameter{{Name: "writes", Value: "40"}}), 1, mostlyFromCache},
	{kep3157, saysSix, "the resource is not written",
		"both timers have jitter, of 10 % in etcd and of 25 % in the cache: up to 6.75 s",
		"watch-list-six-seconds", []scenarios.Parameter{{Name: "writers", Value: "0"}}, 20, endsWithinSix},
	{kep3157, saysSix, "the resource is written now and then",
		"a tick that leaves the watch out costs another 5 s: up to 12.25 s",
		"watch-list-six-seconds", nil, 20, endsWithinSix},
	{kep3157, saysSix, "as shipped in v0.37.2",
		"the cache asks for progress as soon as one waits",
		"watch-list-six-seconds", []scenarios.Parameter{{Name: "cache", Value: "v0.37.2"}}, 20, endsWithinSix},
}

type measurements []Measured

func (all measurements) of(name string) *Measured {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return &Measured{Of: &Distribution{}}
}

func readWaitBelow(all measurements) (string, bool) {
	d := all.of("apiserver_watch_cache_read_wait_seconds").Of
	return fmt.Sprintf("p99 %s, most %s", duration(d.P99), duration(d.Max)), d.Max > 0 && d.P99 < 0.2
}

func averageIs125(all measurements) (string, bool) {
	d := all.of("apiserver_watch_cache_read_wait_seconds").Of
	return fmt.Sprintf("mean %s, p99 %s, most %s", duration(d.Mean), duration(d.P99), duration(d.Max)), d.Mean > 0.9*0.125 && d.Mean < 1.1*0.125
}

func mostlyFromCache(all measurements) (string, bool) {
	lists := float64(all.of(`apiserver_request_duration_seconds{verb="LIST"}`).Count)
	served := all.of("apiserver_cache_list_total").Total
	share := served / max(lists, 1)
	return fmt.Sprintf("%.1f %% of the LISTs are served by the cache", 100*share), share > 0.5
}

func endsWithinSix(all measurements) (string, bool) {
	d := all.of("apiserver_watch_list_duration_seconds").Of
	return fmt.Sprintf("p99 %s, most %s", duration(d.P99), duration(d.Max)), d.Max > 0 && d.Max <= 6
}

// judge measures a claim.
func (x *matrixExplorer) judge(ctx context.Context, c *claim) (*Claim, error) {
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	x.tell("what " + c.document + " says")
	sc, err := scenarios.Find(c.scenario)
	if err != nil {
		return nil, err
	}
	p := sc.Params
	for _, change := range c.params {
		if err := p.Set(change.Name, change.Value); err != nil {
			return nil, err
		}
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		return nil, err
	}
	cfg := x.config(explore.Random(), (x.cfg.Seeds+costShare-1)/costShare*c.share, p.Steps)
	campaign, err := explore.Explore(ctx, subjects, cfg)
	if err != nil {
		return nil, err
	}
	x.done++
	x.schedules += campaign.Schedules
	if campaign.Interrupted {
		return nil, errInterrupted
	}
	out := &Claim{Document: c.document, Says: c.says, Where: c.where, Why: c.why, Schedules: campaign.Schedules}
	out.Measured, out.BorneOut = c.measured(measure(campaign.Metrics))
	out.Command = claimCommand(c, campaign)
	return out, nil
}

func claimCommand(c *claim, campaign *explore.Campaign) string {
	text := "simrun run " + c.scenario
	for _, change := range c.params {
		switch change.Name {
		case "etcd", "cache":
			text += " --" + change.Name + " " + change.Value
		case "bugs":
			text += " --bug " + change.Value
		default:
			text += " --param " + change.Name + "=" + change.Value
		}
	}
	return fmt.Sprintf("%s --strategy %s --seeds %d..%d", text, explore.Random().Name, campaign.FirstSeed, campaign.FirstSeed+max(campaign.Schedules, 1)-1)
}

// writeClaims tells what the documents say, what was measured, and why.
func (m *Matrix) writeClaims(b *bufio.Writer, o Terminal) {
	if len(m.Claims) == 0 {
		return
	}
	b.WriteString(o.bold("What the documents say:") + "\n")
	said := ""
	for i := range m.Claims {
		c := &m.Claims[i]
		if c.Says != said {
			said = c.Says
			b.WriteString("  " + wrap(c.Document+": "+c.Says, o.width(), 2) + "\n")
		}
		verdict := o.Good("borne out   ")
		if !c.BorneOut {
			verdict = o.Bad("contradicted")
		}
		b.WriteString("    " + verdict + "  " + wrap(c.Where+": "+c.Measured+"; "+c.Why, o.width(), 18) + "\n")
	}
	b.WriteString("  " + wrap(memoryClaim, o.width(), 2) + "\n\n")
}

// memoryClaim is not measured in virtual time.
const memoryClaim = "KEP-4988: snapshots take 1.3 % of memory: go test -v -run TestSnapshotMemory ./sim/cache"

// budget is the wall-clock time of the next campaign.
func (x *matrixExplorer) budget() time.Duration {
	if x.cfg.For == 0 {
		return 0
	}
	return max(time.Millisecond, (x.cfg.For-time.Since(x.start))/time.Duration(max(1, x.of-x.done)))
}

func (x *matrixExplorer) tell(what string) {
	if x.cfg.Progress != nil {
		x.cfg.Progress(x.done, x.of, what)
	}
}

func (x *matrixExplorer) config(s explore.Strategy, seeds uint64, steps int) explore.Config {
	return explore.Config{Strategy: s, FirstSeed: x.cfg.FirstSeed, Seeds: seeds, For: x.budget(), Workers: x.cfg.Workers, Steps: steps}
}
