package designs

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// TestIssue15220OnWholeServers: a whole server of 3.5.5 tells a cache of progress before the event, and one of 3.6.16 does not.
func TestIssue15220OnWholeServers(t *testing.T) {
	for etcd, want := range map[string]model.Verdict{"cluster@v3.5.5": model.Violated, "cluster@v3.6.16": model.Holds} {
		got := explored(t, scenarios.Issue15220, 150, "cache=kep-2340", "version-check=none", "etcd="+etcd)["linearizable"]
		require.Equal(t, want, got.Verdict, etcd)
		require.NotZero(t, got.Exercised, etcd)
	}
}

// TestCatalogueOnWholeServers: each scenario of the catalogue runs on whole servers, or is refused in one line. What is violated is known of the
// scenario.
func TestCatalogueOnWholeServers(t *testing.T) {
	const etcd = "cluster@v3.6.16"
	for _, members := range []string{"1", "3"} {
		ran, refused := 0, 0
		for _, sc := range testbed.Scenarios() {
			p := sc.Params
			for _, s := range option.Settings("etcd-members="+members, "etcd="+etcd) {
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
			t.Run(sc.Name+"/"+members, func(t *testing.T) {
				got, err := campaign.Run(t.Context(), subjects, campaign.Config{Seeds: 2, Workers: 1, RecheckShare: -1, Steps: p.Clock.Steps})
				require.NoError(t, err)
				for _, property := range got.Properties {
					if property.Verdict == model.Violated && !mayViolate(sc, &p, property.Name) {
						t.Errorf("%s is violated: %v", property.Name, got.Failures[0])
					}
				}
			})
		}
		t.Logf("%s, etcd-members=%s: %d scenarios run, %d are refused", etcd, members, ran, refused)
	}
}

// mayViolate reports whether it is known that a scenario violates a property. A bug that ends the process has no-panic violated.
func mayViolate(sc *testbed.Scenario, p *testbed.Params, property string) bool {
	all := known.Violations(sc, p)
	return slices.ContainsFunc(all, func(v known.Violation) bool { return v.Property.Name == property }) || property == explore.NoPanic && len(all) > 0
}

// longRun is longer than scenarios have that run here: an hour of a cluster takes a minute.
const longRun = 2 * time.Minute
