package designs

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// TestIssue15220OnWholeServers: a whole server of 3.5.5 tells a cache of progress before the event, and one of 3.6.16
// does not.
func TestIssue15220OnWholeServers(t *testing.T) {
	for etcd, want := range map[string]model.Verdict{"cluster@v3.5.5": model.Violated, "cluster@v3.6.16": model.Holds} {
		got := explored(t, scenarios.Issue15220, 150, "cache=kep-2340", "version-check=none", "etcd="+etcd)["linearizable"]
		require.Equal(t, want, got.Verdict, etcd)
		require.NotZero(t, got.Exercised, etcd)
	}
}

// TestCatalogueOnWholeServers: each scenario of the catalogue runs on whole servers, or is refused in one line. What is
// violated is known of the scenario.
func TestCatalogueOnWholeServers(t *testing.T) {
	const etcd = "cluster@v3.6.16"
	for _, world := range []string{"etcd-members=1", "etcd-members=3", "etcd-members=3 balanced=true"} {
		ran, refused := 0, 0
		for _, sc := range testbed.Scenarios() {
			p := sc.Params
			for _, s := range option.Settings(append(strings.Fields(world), "etcd="+etcd)...) {
				require.NoError(t, p.Set(s.Name, s.Value), sc.Name)
			}
			subjects, err := sc.Subjects(p)
			if err != nil {
				refused++
				require.ErrorContains(t, err, etcd+" is made of whole servers: ", sc.Name)
				require.NotContains(t, err.Error(), "\n", sc.Name)
				continue
			}
			if ran++; p.Clock.Horizon > longRun {
				continue
			}
			t.Run(sc.Name+"/"+world, func(t *testing.T) {
				got, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 2, Workers: 1, RecheckShare: -1, Steps: p.Clock.Steps})
				require.NoError(t, err)
				for _, property := range got.Properties {
					if property.Verdict == model.Violated && !mayViolate(sc, &p, property.Name) {
						t.Errorf("%s is violated: %v", property.Name, got.Failures[0])
					}
				}
			})
		}
		t.Logf("%s, %s: %d scenarios run, %d are refused", etcd, world, ran, refused)
	}
}

// mayViolate reports whether it is known that a scenario violates a property. A bug that ends the process has no-panic
// violated.
func mayViolate(sc *testbed.Scenario, p *testbed.Params, property string) bool {
	all := known.Violations(sc, p)
	return slices.ContainsFunc(all, func(v known.Violation) bool { return v.Property.Name == property }) || property == explore.NoPanic && len(all) > 0
}

// longRun is longer than scenarios have that run here: an hour of a cluster takes a minute.
const longRun = 2 * time.Minute

// TestMembersOfSeveralReleases: where one is asked that still has #15220 a cache violates linearizable, and where the
// first one alone is asked, which is a newer one, it does not.
func TestMembersOfSeveralReleases(t *testing.T) {
	const etcd = "etcd=cluster@v3.6.16 cluster@v3.5.5 cluster@v3.5.5"
	for balanced, want := range map[string]model.Verdict{"balanced=true": model.Violated, "balanced=false": model.Holds} {
		got := explored(t, scenarios.Issue15220, 20, "cache=kep-2340", etcd, balanced)["linearizable"]
		require.Equal(t, want, got.Verdict, balanced)
		require.NotZero(t, got.Exercised, balanced)
	}
	for _, of := range []struct{ etcd, set, want string }{
		{"cluster@v3.5.35 cluster@v3.7.3", "", "cluster@v3.5.35 and cluster@v3.7.3 are two minor versions apart, or more: etcd lets one be in a cluster"},
		{"cluster@v3.5.35 cluster@v3.6.16", "etcd-members=3", "etcd-members=3 are not the 2 that are named; name one release, or one for each"},
		{"cluster@v3.6.16", "failovers=1", "failovers=1 take members away for good, of which clients ask one; set failovers=0, or balanced=true"},
	} {
		p := scenarios.ConsistentList.Params.But(of.set)
		require.NoError(t, p.Set("etcd", of.etcd))
		_, err := scenarios.ConsistentList.Subjects(p)
		require.EqualError(t, err, of.etcd+" is made of whole servers: "+of.want)
	}
}

// slowest is a judge of how long an operation took at most.
type slowest struct {
	system *testbed.System
	took   *time.Duration
}

func (slowest) Reset() {}

func (s slowest) Finding(*sim.World) explore.Finding {
	for o := range s.system.Operations() {
		if o.Span.Answered {
			*s.took = max(*s.took, o.Span.Return.Sub(o.Span.Call))
		}
	}
	return explore.Finding{}
}

// TestOrdersReachMembers: what scenarios have befall etcd befalls whole servers. What lasts has requests wait, and
// where nothing breaks none does.
func TestOrdersReachMembers(t *testing.T) {
	const waits = time.Second
	for _, of := range []struct {
		set   string
		waits bool
		cover string
	}{
		{"breaks=0", false, ""},
		{"clog=true", true, ""},
		{"defragment=true", true, ""},
		{"leader-losses=1", true, "cluster: a member asks for votes"},
		{"leader-changes=1", false, "cluster: a member asks for votes"},
		{"stream-ends=1", false, "clientv3: etcd ends the stream in order"},
		{"failovers=1 balanced=true", false, "cluster: a member is lost for good"},
	} {
		t.Run(of.set, func(t *testing.T) {
			took := time.Duration(0)
			sc := *scenarios.ConsistentList
			sc.Claims = []*testbed.Property{{
				Name: "slowest", Kind: testbed.Safety, Promise: "none", Violated: "none",
				New: func(s *testbed.System) testbed.Judge { return slowest{s, &took} },
			}}
			p := sc.Params.But("cache=kep-2340 etcd-members=3 faults-for=5s etcd=cluster@v3.6.16 breaks=0 restarts=0 etcd-restarts=0 think=1s " + of.set)
			subjects, err := sc.Subjects(p)
			require.NoError(t, err)
			got, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 8, Workers: 1, RecheckShare: -1, Steps: p.Clock.Steps})
			require.NoError(t, err)
			if of.waits || of.cover == "" {
				require.Equal(t, of.waits, took > waits, "%v", took)
			}
			require.True(t, of.cover == "" || slices.ContainsFunc(got.CoveragePoints, func(c campaign.CoveragePointTally) bool {
				return c.CoveragePoint.String() == of.cover && c.Schedules > 0
			}), of.cover)
		})
	}
}
