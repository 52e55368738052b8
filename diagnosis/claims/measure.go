package claims

import (
	"context"
	"fmt"
	"sync"

	"github.com/watchbed/watchbed/diagnosis/metrics"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// Result is a claim beside what was measured.
type Result struct {
	Document string `json:"document"`
	Says     string `json:"says"`
	Where    string `json:"where"`
	Measured string `json:"measured"`
	// BorneOut: the measurement says the same as the document.
	BorneOut bool `json:"borneOut"`
	// Unmeasured: the time was over before all schedules of the measurement, so that
	// BorneOut says nothing.
	Unmeasured bool `json:"unmeasured,omitempty"`
	// Why is the reason for what was measured.
	Why       string `json:"why"`
	Schedules uint64 `json:"schedules"`
	// Command measures it again.
	Command string `json:"command"`
	// Interrupted: the campaign was cut off, so the result says nothing.
	Interrupted bool `json:"-"`
}

// Measure runs the campaign of a claim. The configuration is that of a campaign
// with Share 1; the strategy is always random, which draws every delay evenly. The
// command in the result begins with the name of the program.
//
// A campaign without a bound on its time is run once in a process: of the claims each
// matrix asks for the same ones, whatever its cells are.
func (c *Claim) Measure(ctx context.Context, program string, cfg campaign.Config) (*Result, error) {
	cfg.Seeds = max(1, cfg.Seeds*c.Share)
	done, err := c.once(ctx, c.Params, cfg)
	if err != nil {
		return nil, err
	}
	r := &Result{
		Document: c.Document, Says: c.Says, Where: c.Where, Why: c.Why,
		Schedules: done.Schedules, Command: commandFor(program, c.Scenario, c.Params, done), Interrupted: done.Interrupted,
	}
	if done.Schedules < cfg.Seeds {
		return c.cutOff(r), nil
	}
	if c.beside == nil {
		r.Measured, r.BorneOut = c.bearsOut(metrics.Of(done.Metrics))
		return r, nil
	}
	other, err := c.once(ctx, c.beside.params, cfg)
	if err != nil {
		return nil, err
	}
	if other.Schedules < cfg.Seeds {
		r.Interrupted = r.Interrupted || other.Interrupted
		return c.cutOff(r), nil
	}
	r.Measured, r.BorneOut = c.beside.bearsOut(metrics.Of(done.Metrics), metrics.Of(other.Metrics))
	r.Schedules += other.Schedules
	r.Interrupted = r.Interrupted || other.Interrupted
	r.Command += "; " + commandFor(program, c.Scenario, c.beside.params, other)
	return r, nil
}

// Unmeasured is the result of a claim for which there was no time.
func (c *Claim) Unmeasured() Result {
	return *c.cutOff(&Result{Document: c.Document, Says: c.Says, Where: c.Where})
}

// cutOff makes a result one that says nothing: the reason is that of a whole measurement.
func (c *Claim) cutOff(r *Result) *Result {
	r.Measured, r.Why, r.Unmeasured = "not measured, the time was over", "", true
	return r
}

// planned is a campaign of a claim. The number of workers makes no difference, and
// a test that says so must not be given the same campaign twice.
type planned struct {
	claim            *Claim
	params           string
	firstSeed, seeds uint64
	workers          int
}

// over are the campaigns that have been run to their end, by their plan.
var over sync.Map

// once runs a campaign of a claim, unless it has been run.
func (c *Claim) once(ctx context.Context, params []option.Setting, cfg campaign.Config) (*campaign.Result, error) {
	m := planned{c, fmt.Sprint(params), cfg.FirstSeed, cfg.Seeds, cfg.Workers}
	if done, ok := over.Load(m); ok {
		return done.(*campaign.Result), nil
	}
	done, err := run(ctx, c.Scenario, params, cfg)
	if err == nil && !done.Interrupted && cfg.For == 0 {
		over.Store(m, done)
	}
	return done, err
}

// run explores a scenario with some parameters changed, every delay drawn evenly.
func run(ctx context.Context, sc *testbed.Scenario, changes []option.Setting, cfg campaign.Config) (*campaign.Result, error) {
	p := sc.Params
	for _, change := range changes {
		if err := p.Set(change.Name, change.Value); err != nil {
			return nil, err
		}
	}
	subjects, err := sc.Subjects(p)
	if err != nil {
		return nil, err
	}
	cfg.Strategy, cfg.Steps = strategy.Random(), p.Clock.Steps
	return campaign.Run(ctx, subjects, cfg)
}

func commandFor(program string, sc *testbed.Scenario, changes []option.Setting, done *campaign.Result) string {
	text := program + " run " + sc.Name
	for _, change := range changes {
		switch change.Name {
		case "etcd", "cache":
			text += " --" + change.Name + " " + change.Value
		default:
			text += " --set " + change.String()
		}
	}
	return fmt.Sprintf("%s --strategy %s --seeds %d..%d", text, strategy.Random().Name, done.FirstSeed, done.FirstSeed+max(done.Schedules, 1)-1)
}

// test words a measurement, and says whether it bears a claim out.
type test func(all measured) (text string, borneOut bool)

type measured []metrics.Metric

func (all measured) of(name string) *metrics.Metric {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return &metrics.Metric{Of: &metrics.Distribution{}}
}

// The metrics that the claims are about.
const (
	readWait      = "apiserver_watch_cache_read_wait_seconds"
	watchListTook = "apiserver_watch_list_duration_seconds"
	listTook      = `apiserver_request_duration_seconds{verb="LIST"}`
	listsServed   = "apiserver_cache_list_total"
	channelBytes  = "watch_channel_bytes"
	listBytes     = "list_response_bytes"
	requestsSent  = "informer_requests"

	cacheFetched    = `apiserver_cache_list_fetched_objects_total{index=""}`
	indexFetched    = `apiserver_cache_list_fetched_objects_total{index="field"}`
	cacheReturned   = "apiserver_cache_list_returned_objects_total"
	storageFetched  = "apiserver_storage_list_fetched_objects_total"
	storageReturned = "apiserver_storage_list_returned_objects_total"
	revisionReads   = `etcd_requests_total{operation="getCurrentResourceVersion"}`
	clientLists     = `etcd_requests_total{operation="list",for="client"}`
	clientBytes     = `etcd_response_bytes_total{operation="list",for="client"}`
	exactLists      = `etcd_requests_total{operation="list",for="exact"}`
	exactBytes      = `etcd_response_bytes_total{operation="list",for="exact"}`

	progressAsked = "etcd_progress_requests_total"
	synced        = "informer_sync_duration_seconds"
	snapshotsKept = "cache_snapshots"
	pagesKept     = "kept_pages_bytes"
	seatsAtEtcd   = "flowcontrol_seats_at_etcd"
	listsAtEtcd   = "flowcontrol_lists_at_etcd"
)

func readWaitBelow(all measured) (string, bool) {
	d := all.of(readWait).Of
	return fmt.Sprintf("p99 %s, max %s", metrics.Seconds(d.P99), metrics.Seconds(d.Max)), d.Max > 0 && d.P99 < 0.2
}

// beyondSeats is about the ten seats of seats-fallback.
func beyondSeats(all measured) (string, bool) {
	cost, lists := all.of(seatsAtEtcd).Of.Max, all.of(listsAtEtcd).Of.Max
	return fmt.Sprintf("at most %.0f LISTs with etcd, which cost %.0f seats of 10", lists, cost), cost > 10
}

func averageIs125(all measured) (string, bool) {
	d := all.of(readWait).Of
	text := fmt.Sprintf("mean %s, p99 %s, max %s", metrics.Seconds(d.Mean), metrics.Seconds(d.P99), metrics.Seconds(d.Max))
	return text, d.Mean > 0.9*0.125 && d.Mean < 1.1*0.125
}

func mostlyFromCache(all measured) (string, bool) {
	lists := float64(all.of(listTook).Count)
	served := all.of(listsServed).Total
	share := served / max(lists, 1)
	return fmt.Sprintf("%.1f %% of the LISTs are served by the cache", 100*share), share > 0.5
}

// keepsMore is about the most that a cache keeps at a time.
func keepsMore(metric string) func(all, beside measured) (string, bool) {
	return func(all, beside measured) (string, bool) {
		x, y := all.of(metric), beside.of(metric)
		text := fmt.Sprintf("max %s, beside %s", metrics.Amount(x.Of.Max, x.Unit), metrics.Amount(y.Of.Max, y.Unit))
		if x.Unit == "" {
			text += " snapshots"
		}
		return text, y.Of.Max > 0 && x.Of.Max > y.Of.Max
	}
}

// isFaster is about what a LIST takes between its arrival and its answer.
func isFaster(all, beside measured) (string, bool) {
	x, y := all.of(listTook), beside.of(listTook)
	text := fmt.Sprintf("mean %s, beside %s from etcd", metrics.Seconds(x.Of.Mean), metrics.Seconds(y.Of.Mean))
	return text, x.Count > 0 && y.Count > 0 && x.Of.Mean < y.Of.Mean
}

// neverSyncs is about informers that begin once, while nothing else goes wrong.
func neverSyncs(all measured) (string, bool) {
	x := all.of(synced)
	if x.Count > 0 {
		return fmt.Sprintf("%d informers have all objects, after %s at most", x.Count, metrics.Seconds(x.Of.Max)), false
	}
	return "no informer ever has all objects", len(all) > 0
}

// listsLess is about the LISTs of informers.
func listsLess(all, beside measured) (string, bool) {
	x, y := all.of(listTook).Count, beside.of(listTook).Count
	first := all.of(requestsSent).Count
	text := fmt.Sprintf("%d LISTs, beside %d, of which %d are the first of an informer", x, y, first)
	return text, x > 0 && x < y
}

// oneRoundTrip is about reads of etcd's revision and progress requests.
func oneRoundTrip(all measured) (string, bool) {
	lists := float64(all.of(listTook).Count)
	reads, progress := all.of(revisionReads).Total/max(lists, 1), all.of(progressAsked).Total/max(lists, 1)
	return fmt.Sprintf("%.2f reads of the revision and %.2f progress requests for each LIST", reads, progress), lists > 0 && reads == 0 && progress <= 1
}

// pagesOfEtcd says how many pages there were, and how many of them etcd answered. What
// the cache reads beside them has no objects.
func pagesOfEtcd(all measured) (text string, pages, ofEtcd float64) {
	pages, ofEtcd = float64(all.of(listTook).Count), all.of(exactLists).Total
	return fmt.Sprintf("etcd answers %.0f of %.0f pages, with %s", ofEtcd, pages, metrics.Bytes(all.of(exactBytes).Total)), pages, ofEtcd
}

func pagesFromCache(all measured) (string, bool) {
	text, pages, ofEtcd := pagesOfEtcd(all)
	return text, pages > 0 && ofEtcd == 0
}

// laterPagesFromEtcd is about lists of five pages.
func laterPagesFromEtcd(all measured) (string, bool) {
	text, pages, ofEtcd := pagesOfEtcd(all)
	return text, pages > 0 && ofEtcd == pages*4/5
}

func endsWithinSix(all measured) (string, bool) {
	d := all.of(watchListTook).Of
	return fmt.Sprintf("p99 %s, max %s", metrics.Seconds(d.P99), metrics.Seconds(d.Max)), d.Max > 0 && d.Max <= 6
}

// eachTakesTwoMB is about the greatest sum of all watches of an API server in any run.
// About 2 MB is up to a quarter more.
func eachTakesTwoMB(watches float64) test {
	return func(all measured) (string, bool) {
		d := all.of(channelBytes).Of
		each := d.Max / watches / 1e6
		return fmt.Sprintf("%.1f MB each, %.3g GB in all", each, d.Max/1e9), d.Max > 0 && each <= 2*1.25
	}
}

// looksAt is about the objects that are looked at for each that is returned, wherever that
// is. Objects that another writer takes out of a selection make it a little more.
func looksAt(forEach float64) test {
	return func(all measured) (string, bool) {
		looked := all.of(storageFetched).Total + all.of(cacheFetched).Total + all.of(indexFetched).Total
		returned := all.of(storageReturned).Total + all.of(cacheReturned).Total
		text := fmt.Sprintf("%.3g objects looked at for each that is returned", looked/max(returned, 1))
		return text, returned > 0 && looked/returned <= 1.1*forEach && looked/returned >= 0.9*forEach
	}
}

// etcdSpared is about the requests that API servers send to etcd for their clients, for
// each time that an informer starts.
func etcdSpared(most float64) test {
	return func(all measured) (string, bool) {
		starts := float64(all.of(requestsSent).Count)
		requests := all.of(revisionReads).Total + all.of(clientLists).Total
		each := requests / max(starts, 1)
		return fmt.Sprintf("%.3g requests to etcd for each of %.0f starts, with %s of objects", each, starts, metrics.Bytes(all.of(clientBytes).Total)), starts > 0 && each <= most
	}
}

func requestsAre(n float64) test {
	return func(all measured) (string, bool) {
		d := all.of(requestsSent).Of
		return fmt.Sprintf("mean %.3g, max %.0f", d.Mean, d.Max), d.Mean == n
	}
}

// exceeds is about answers to LISTs of which a limit was to keep the bytes below it.
func exceeds(limit float64) test {
	return func(all measured) (string, bool) {
		d := all.of(listBytes).Of
		return fmt.Sprintf("mean %.2g GB, max %.2g GB", d.Mean/1e9, d.Max/1e9), d.Max > limit
	}
}
