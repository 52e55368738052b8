package shell_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/cache"
)

// properties are what reads from one cache have to be. Consistent reads are
// linearizable. Lists with "0" are sequential with all other operations, because
// the clients that send them here do nothing else.
var properties = []linearizability.Property{linearizability.Linearizable, linearizability.LinearizableData, linearizability.Sequential}

// early is the version whose progress overtakes events (etcd #15220): there a
// violation is no surprise, and that there is none would not be one either.
const early = "3.5.7"

// The checkers that judge simulated runs judge the same cache on real servers:
// undisturbed, with a server that is killed, and with a way there that is cut, for
// so long that etcd has compacted what the cache missed.
func TestReadsThroughTheCache(t *testing.T) {
	for _, version := range realetcd.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := realetcd.StartForTest(t, version)
			etcd := connect(t, server)
			put(t, etcd, prefix+"a", "before")
			way := newNetwork(t, server)
			c := start(t, way.client(t), with(cache.Amounts{RelistDelay: 100 * time.Millisecond}))
			kill := func(r *run) {
				if err := r.untilAnAnswerIsLost(func() error { return server.Restart(t.Context()) }); err != nil {
					t.Fatal(err)
				}
			}
			// missed is what is written while the cache is cut off.
			missed := func(r *run) {
				for i, key := range keys {
					r.write("operator", &model.Request{Kind: model.Put, Key: key, Value: fmt.Sprint("missed ", r.seed, i)})
				}
			}
			cut := func(r *run) {
				way.cut()
				missed(r)
				way.heal()
			}
			cutAndCompact := func(r *run) {
				way.cut()
				missed(r)
				now, err := etcd.Get(t.Context(), prefix)
				if err == nil {
					_, err = etcd.Compact(t.Context(), now.Header.Revision)
				}
				if err != nil {
					t.Fatal(err)
				}
				way.heal()
			}
			few := load{writers: 3, consistent: 3, stale: 2, perClient: 12, concurrent: 4, think: 3 * time.Millisecond}
			many := load{writers: 4, consistent: 6, stale: 3, perClient: 250, think: 4 * time.Millisecond}
			hurried := load{writers: 12, consistent: 6, stale: 3, perClient: 150}
			seeds := uint64(0)
			for _, one := range []struct {
				name   string
				load   load
				midway func(*run)
				seen   []string
			}{
				{"few", few, nil, nil},
				{"many", many, nil, []string{"read waits", "read served after waiting", "progress requested", "progress notification taken in"}},
				{"killed", hurried, kill, nil},
				{"cut", many, cut, nil},
				{"cut and compacted", many, cutAndCompact, []string{"watch ended by compaction", "relist"}},
			} {
				l := one.load
				l.midway = one.midway
				seeds++
				l.seed = seeds
				h, lists := l.record(t, etcd, c)
				judge(t, version, h)
				if n := lists.elsewhere.Load(); n > 0 {
					t.Errorf("%s: etcd answered %d lists", one.name, n)
				}
				unknown := 0
				for i := range h.Operations {
					if h.Operations[i].Outcome == model.Unknown {
						unknown++
					}
				}
				if one.name == "killed" && unknown == 0 {
					t.Error("etcd was killed, but no write has an unknown outcome")
				}
				t.Logf("%s: %d operations, %d writes of unknown outcome, %d lists refused", one.name, len(h.Operations), unknown, lists.refused.Load())
				report, err := c.Report(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, rare := range one.seen {
					if report.CoveragePoints["cache: "+rare] == 0 {
						t.Errorf("%s: %q never came about: what holds was not checked there", one.name, rare)
					}
				}
			}
		})
	}
}

func judge(t *testing.T, version string, h *model.History) {
	t.Helper()
	var judge linearizability.Judge
	judgements, err := judge.Check(h, nil, properties...)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range judgements {
		switch {
		case j.Verdict == model.Violated && version == early:
			t.Logf("%s is violated, as it may be on etcd %s: %v", j.Property, early, j.Why)
		case j.Verdict == model.Violated:
			t.Errorf("%s is violated, by %v: %v", j.Property, j.By, j.Why)
		case j.Verdict != model.Holds || j.Exercised == 0:
			t.Errorf("%s: %v by %v, want holds", j.Property, j.Verdict, j.By)
		}
	}
}

// The judge finds an answer of the cache that is wrong.
func TestTamperedAnswersAreFound(t *testing.T) {
	versions := realetcd.Versions()
	server := realetcd.StartForTest(t, versions[len(versions)-1])
	etcd := connect(t, server)
	put(t, etcd, prefix+"a", "before")
	c := start(t, etcd, cache.Config{})
	h, _ := load{seed: 4, writers: 3, consistent: 3, stale: 1, perClient: 15, concurrent: 4, think: 3 * time.Millisecond}.record(t, etcd, c)
	judge(t, server.Version, h)
	judge := linearizability.Judge{Steps: 20_000}
	ways := 0
	for _, way := range recordings.Tamperings() {
		tampered := 0
		for i := range h.Operations {
			wrong := way.Apply(h, i)
			if wrong == nil {
				continue
			}
			for _, broken := range way.Breaks {
				prop := linearizability.Property(broken)
				if !prop.Claims(&h.Operations[i]) {
					continue
				}
				tampered++
				judgements, err := judge.Check(wrong, nil, prop)
				if err != nil {
					t.Fatal(err)
				}
				if v := judgements[0].Verdict; v != model.Violated {
					t.Errorf("operation %d, %s: %s %v, want violated", i, way.Name, prop, v)
				}
			}
		}
		if tampered > 0 {
			ways++
		}
	}
	// The two ways that need a GET, and nothing but, have nothing to hold on to.
	if want := len(recordings.Tamperings()) - 2; ways != want {
		t.Errorf("%d ways to tamper with the history, want %d", ways, want)
	}
}
