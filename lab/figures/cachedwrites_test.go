package figures

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/informers"
)

// TestFiguresOfCachedWrites measures the tables of cachedwrites.md.
func TestFiguresOfCachedWrites(t *testing.T) {
	holdTables(t, "cachedwrites.md", []table{{"verdicts", cachedVerdicts}, {"errors", cachedErrors}, {"breaks", cachedBreaks}, {"cost", storms}, {"own writes", ownWrites}})
}

// cachedVerdicts is what holds with each server and each etcd.
func cachedVerdicts(t *testing.T) string {
	return verdicts(t, "servers and etcd", []settings{
		{"the gate on", nil},
		{"the gate on, 429 in place of the fallback", []string{"on-timeout=throttle"}},
		{"the gate on at one of two servers", []string{"server-settings=cache-2:write-state=etcd"}},
		{"the gate off", []string{"write-state=etcd"}},
		{"the gate on, etcd 3.5.7 unchecked (etcd #15220)", []string{"etcd=3.5.7", "version-check=none"}},
		{"the gate off, etcd 3.5.7 unchecked", []string{"write-state=etcd", "etcd=3.5.7", "version-check=none"}},
		{"the gate on, etcd 3.5.12 unchecked (etcd #17507)", []string{"etcd=3.5.12", "version-check=none"}},
		{"the gate on, Created overtakes progress, as in each release of etcd", []string{"created=past-channel"}},
	}, scenarios.CachedWrites, scenarios.RecreatedObjects)
}

// cachedErrors is what writes are answered that should not be, when the cache or etcd is wrong.
func cachedErrors(t *testing.T) string {
	labels := []string{"write-refusals internal", "write-refusals conflict", "write-refusals not-found", "write-refusals forbidden"}
	var b strings.Builder
	b.WriteString("| what is wrong | objects from | internal error | 409 | 404 | 403 | update lost |\n|---|---|---|---|---|---|---|\n")
	errors := func(from string, wrong settings) (of []uint64) {
		c := campaigns.Run(t, scenarios.CachedWrites, campaigns.With(t, scenarios.CachedWrites, append([]string{"write-state=" + from}, wrong.set...)...), campaign.Config{Seeds: 1000})
		for _, f := range append(labels, "no-lost-updates lost") {
			at := slices.IndexFunc(c.Failures, func(x campaign.FailureTally) bool { return x.Failure.Property+" "+x.Failure.Label == f })
			of = append(of, 0)
			if at >= 0 {
				of[len(of)-1] = c.Failures[at].Schedules
			}
		}
		return of
	}
	row := func(what, from string, of []uint64) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", what, from, strings.ReplaceAll(strings.Trim(fmt.Sprintf("%d", of), "[]"), " ", " | "))
	}
	withEtcd := make([]uint64, len(labels)+1)
	for _, wrong := range []settings{
		{"etcd sends progress before events (etcd #15220)", []string{"progress=control-queue"}},
		{"an event is lost on its way to the cache", []string{"lost-events=1"}},
		{"the cache's version is set before its objects", []string{"publication=version-first"}},
		{"a read waits for the revision that etcd answered to the one before", []string{"current-rv=last-reader"}},
		{"etcd loses its leader twice, and changes it twice", []string{"leader-losses=2", "leader-changes=2"}},
		{"etcd restarts twice", []string{"etcd-restarts=2"}},
		{"etcd is restored from a backup, its revision raised (`restored-backup`)", []string{"restores=1", "backup-restore=bumped"}},
		{"etcd is restored from a backup, its revision as it was (kubernetes#107457)", []string{"restores=1", "backup-restore=plain"}},
	} {
		row(wrong.name, "cache", errors("cache", wrong))
		for i, n := range errors("etcd", wrong) {
			withEtcd[i] += n
		}
	}
	row("all of these together", "etcd", withEtcd)
	return b.String()
}

func cachedBreaks(t *testing.T) string {
	return breaksHead + firstSchedule(t, scenarios.CachedWrites, "a race that each release of etcd has: the cache takes older progress for that of its new watch, and a write ends with an internal error",
		"write-refusals", "created=past-channel", "--set created=past-channel") +
		breaksOfBugs(t, scenarios.CachedWrites, scenarios.RecreatedObjects)
}

// storms is what updates of one object cost, by the number of clients.
func storms(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| clients | objects from | tries an update | answered, p50 / p99 / max | bytes of objects from etcd an update |\n|---|---|---|---|---|\n")
	sc := scenarios.WriteStorm
	for _, clients := range []int{2, 8, 32, 64} {
		for _, from := range []string{"etcd", "cache"} {
			p := campaigns.With(t, sc, "write-state="+from, "updates=20", fmt.Sprintf("updaters=%d", clients))
			c := campaigns.Run(t, sc, p, campaign.Config{Seeds: 5, Strategy: strategy.Random(), RecheckShare: -1, Workers: 1})
			require.Zero(t, c.Truncated)
			took := tally(t, c, "write_duration_seconds")
			updates := float64(took.Count())
			fmt.Fprintf(&b, "| %d | %s | %.1f | %s / %s / %s | %.0f |\n", clients, from, float64(sumOf(c, "write_attempts_total"))/updates,
				seconds(took.Quantile(0.5)), seconds(took.Quantile(0.99)), seconds(took.Max()),
				float64(sumOf(c, `etcd_response_bytes_total{operation="txn",for="write"}`)+sumOf(c, `etcd_response_bytes_total{operation="get",for="write"}`))/updates)
		}
	}
	return b.String()
}

// ownWrites is whether a controller reads its own writes, and how long its GETs take, by what it does until they are in its store.
func ownWrites(t *testing.T) string {
	const noise = "noise=1 noise-writes=100 noise-for=3m"
	var b strings.Builder
	b.WriteString("| etcd, unchecked | until its own write is in its store | acts on an older state | GETs | answered, p50 / p99 / max |\n|---|---|---|---|---|\n")
	for _, etcd := range []string{"3.5.7", "3.5.12", "3.6.16", "3.7.3"} {
		for _, way := range []settings{
			{"it waits", nil},
			{"it asks etcd by a GET", []string{"controller-consistency=get"}},
			{"it asks the cache by a GET", []string{"controller-consistency=get", "get-unset=cache"}},
			{"it acts", []string{"controller-consistency=none"}},
		} {
			set := slices.Concat([]string{"etcd=" + etcd, "version-check=none"}, way.set)
			run := campaigns.Run(t, informers.Controller, campaigns.With(t, informers.Controller, set...), campaign.Config{Seeds: 3000})
			timed := campaigns.Run(t, informers.OverloadedController, campaigns.With(t, informers.OverloadedController, append(set, strings.Fields(noise)...)...), campaign.Config{Seeds: 1000})
			at := slices.IndexFunc(run.Properties, func(p campaign.PropertyTally) bool { return p.Name == "controller-reads-own-writes" })
			require.NotZero(t, run.Properties[at].Exercised)
			gets := tally(t, timed, `apiserver_request_duration_seconds{verb="GET"}`)
			took := "- | -"
			if gets.Count() > 0 {
				took = fmt.Sprintf("%d | %s / %s / %s", gets.Count(), seconds(gets.Quantile(0.5)), seconds(gets.Quantile(0.99)), seconds(gets.Max()))
			}
			fmt.Fprintf(&b, "| %s | %s | %d of %d | %s |\n", etcd, way.name, run.Properties[at].Violations, run.Schedules, took)
		}
	}
	return b.String()
}
