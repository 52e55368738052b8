package main

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/overlay"
)

// Tests run in the folder of the tables.
func init() { folder = "." }

// TestTablesAreTrue: nothing is amiss with any table. Each violation, difference and unchecked claim has its reason and
// no reason is left over, and the simulation can show all that released code did.
func TestTablesAreTrue(t *testing.T) {
	for _, of := range tables {
		name, _ := of.describe()
		t.Run(name, func(t *testing.T) {
			wrong, err := of.check()
			require.NoError(t, err)
			require.Empty(t, wrong)
		})
	}
}

// TestPagesShowRows: each page has what its rows are about.
func TestPagesShowRows(t *testing.T) {
	shows := map[string]func(t *testing.T) []string{
		"verdicts": func(*testing.T) []string {
			var all []string
			for _, sc := range testbed.Scenarios() {
				all = append(all, sc.Name)
			}
			return all
		},
		"hunt": func(t *testing.T) []string {
			return linesOf(t, &hunting.table, func(l *lot) []string {
				var all []string
				for _, f := range l.Found {
					all = append(all, fmt.Sprintf("| %s | %s | %s | **%s** (%s)", l.Scenario, l.Guest, counted(l.Schedules), f.Property, f.Label))
				}
				return all
			})
		},
		"agreement": func(t *testing.T) []string {
			return linesOf(t, agreement, func(r *agreementRow) []string {
				var all []string
				for _, c := range r.Claims {
					if c.differs() {
						all = append(all, fmt.Sprintf("| %s | %s | %s | %d of %d | %d of %d |", r.Scenario, c.Property, r.Etcd, c.Code.Violated, r.Code, c.Model.Violated, r.Model))
					}
				}
				return all
			})
		},
		"inclusion": func(t *testing.T) []string {
			return linesOf(t, inclusion, func(r *compared) []string {
				return []string{fmt.Sprintf("| %s | %s | %d | %d |", r.World, r.Release, r.Simulated, r.States)}
			})
		},
		"cachetraces": func(t *testing.T) []string {
			return linesOf(t, cachetraces, func(r *compared) []string {
				return []string{fmt.Sprintf("| %s | %s | %d | %d | %d | %d in %d |", r.World, r.Release, findWorld(cacheWorlds, r.World).Firings, r.Simulated, r.States, r.Released, r.Schedules)}
			})
		},
		"reproduce": func(t *testing.T) []string {
			var all []string
			for _, b := range bugs {
				all = append(all, "\n| "+b.name+" | ")
			}
			return all
		},
		"cluster": func(t *testing.T) []string {
			return linesOf(t, clusterBugs, func(r *clusterRow) []string {
				b := findEtcdBug(r.Bug)
				return []string{
					fmt.Sprintf("| %s | %s | %s | %s | %d of %d |", r.Bug, b.words, r.Release, b.property, r.violated(), r.schedules()),
					"\n    " + b.config + "\n",
				}
			})
		},
	}
	for _, of := range tables {
		name, _ := of.describe()
		t.Run(name, func(t *testing.T) {
			text, err := of.page()
			require.NoError(t, err)
			for _, want := range shows[name](t) {
				require.Contains(t, text, want)
			}
		})
	}
}

func read[R row](t *testing.T, of *table[R]) []R {
	rows, err := of.read()
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	return rows
}

// linesOf is what a page has of each row.
func linesOf[R row](t *testing.T, of *table[R], lines func(*R) []string) []string {
	var all []string
	rows := read(t, of)
	for i := range rows {
		all = append(all, lines(&rows[i])...)
	}
	return all
}

// TestRowsAreWrittenAsRead: measuring a row again changes no other line of a file.
func TestRowsAreWrittenAsRead(t *testing.T) {
	writtenAsRead(t, verdicts)
	writtenAsRead(t, &hunting.table)
	writtenAsRead(t, agreement)
	writtenAsRead(t, inclusion)
	writtenAsRead(t, cachetraces)
	writtenAsRead(t, &reproduce.table)
	writtenAsRead(t, clusterBugs)
}

func writtenAsRead[R row](t *testing.T, of *table[R]) {
	before, err := os.ReadFile(of.path())
	require.NoError(t, err)
	rows := read(t, of)
	folder = t.TempDir()
	defer func() { folder = "." }()
	require.NoError(t, of.write(rows))
	after, err := os.ReadFile(of.path())
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), of.name)
}

// needs ends a test whose guests are not compiled: to look for them would end the process.
func needs(t *testing.T, names ...string) {
	directory, err := guests.Directory()
	require.NoError(t, err)
	for _, name := range names {
		require.FileExists(t, guests.Path(directory, name), `run "make upstream GUEST=%s"`, name)
	}
}

// TestRowsAreMeasuredAgain: the same schedules come to the same, in rows of which all take seconds together.
func TestRowsAreMeasuredAgain(t *testing.T) {
	t.Run("verdicts", func(t *testing.T) {
		needs(t, guest)
		// Quiet ranges, compaction, initial events.
		same(t, verdicts, []key{{"issue-17507", newEtcd}, {"crash-in-compaction", newEtcd}, {"watch-list-six-seconds", newEtcd}}, func(of verdictRow) (verdictRow, error) {
			r, _, err := countVerdict(t.Context(), of.key(), of.Schedules)
			return r, err
		})
	})
	t.Run("agreement", func(t *testing.T) {
		needs(t, released("3.7.3"))
		same(t, agreement, []key{{"issue-17507", "3.7.3"}, {"second-watch", "3.7.3"}, {"watches-at-rest", "3.7.3"}}, func(of agreementRow) (agreementRow, error) {
			return runBoth(t.Context(), of.key(), of.Code, of.Model)
		})
	})
	t.Run("inclusion", func(t *testing.T) {
		needs(t, released("3.6.16"))
		same(t, inclusion, []key{{"progress-after-put", "3.6.16"}, {"filter", "3.6.16"}}, func(of compared) (compared, error) {
			return measureInclusion(t.Context(), of.key())
		})
	})
	t.Run("cachetraces", func(t *testing.T) {
		needs(t, guest)
		same(t, cachetraces, []key{{"any-after-put", "v0.37.2"}, {"watch", "v0.37.2"}}, func(of compared) (compared, error) {
			return measureCache(t.Context(), of.key())
		})
	})
}

func same[R row](t *testing.T, of *table[R], keys []key, measure func(R) (R, error)) {
	rows := read(t, of)
	for _, k := range keys {
		r := find(rows, k)
		require.NotNil(t, r, k)
		again, err := measure(*r)
		require.NoError(t, err)
		require.Equal(t, *r, again, "run \"go run ./measure %s %s\"", of.name, k.of)
	}
}

// TestAmissIsFound: a row that is about nothing, and each way in which rows and reasons do not agree.
func TestAmissIsFound(t *testing.T) {
	require.Equal(t, []string{
		"the row of none on 3.5.7 is about nothing that is measured",
		"filter on 3.5.7: the simulation cannot show 1 traces of the released code, such as created",
	}, inclusion.wrong([]compared{{World: "none", Release: "3.5.7"}, {World: "filter", Release: "3.5.7", ReleasedOnly: []string{"created"}}}))

	require.Equal(t, []string{"stale-list on v0.37.2: the property is violated without the patch, too"},
		reproduce.wrong([]reproduction{{Bug: "stale-list", Release: "v0.37.2", ControlViolations: 1}, {Bug: "stale-get", Release: "v0.37.2"}}))
	first := overlay.Names()[0]
	written := bugs
	bugs = slices.DeleteFunc(slices.Clone(bugs), func(b bug) bool { return b.name == first })
	require.Equal(t, []string{"the patch " + first + " is in no row"}, reproduce.wrong(nil))
	bugs = written
}

// TestAmissIsFoundInAgreement: a difference without a reason, a reason without a difference, and a property that is not
// checked any more. What is known explains a difference only if that may be chance.
func TestAmissIsFoundInAgreement(t *testing.T) {
	rows := []agreementRow{
		{Scenario: "issue-17507", Etcd: newest[0], Code: 10, Model: 10, Claims: []sides{
			{"answers-in-time", tally{10, 0}, tally{10, 1}}, {"linearizable", tally{0, 0}, tally{10, 0}},
		}},
		{Scenario: "second-watch", Etcd: newest[0], Code: 10, Model: 10, Claims: []sides{{"bookmarkable", tally{10, 0}, tally{10, 1}}}},
		{Scenario: "second-watch", Etcd: newest[1], Code: 100, Model: 10, Claims: []sides{{"bookmarkable", tally{10, 0}, tally{10, 3}}}},
	}
	written, unchecked := differenceReasons, unjudgedInEtcd
	differenceReasons, unjudgedInEtcd = map[[2]string]string{{"second-watch", "unique"}: "none"}, map[string]string{"unique": "none"}
	defer func() { differenceReasons, unjudgedInEtcd = written, unchecked }()
	require.ElementsMatch(t, []string{
		"issue-17507 on 3.5.35: one side alone violates answers-in-time (code 0 of 10, model 1 of 10), and there is no reason for it",
		"issue-17507 on 3.5.35 never checks linearizable over the code, and there is no reason for it",
		"second-watch on 3.6.16: one side alone violates bookmarkable (code 0 of 100, model 3 of 10), and there is no reason for it",
		`there is a reason why one side alone violates unique in "second-watch", and none does`,
		"there is a reason why unique is never checked over the code, and it is",
	}, agreement.wrong(rows))
}

// TestAmissIsFoundInVerdicts: a violation without a reason, a claim that is never checked without one, and a reason
// that explains nothing.
func TestAmissIsFoundInVerdicts(t *testing.T) {
	rows := read(t, verdicts)
	of := find(rows, key{"resumed-watch", newEtcd})
	require.NotNil(t, of)
	of.Schedules, of.Claims[0].Violated, of.Claims[1].Checked = thin, 1, 0
	require.ElementsMatch(t, []string{
		"resumed-watch on 3.6.16 violates " + of.Claims[0].Property + ", and there is no reason for it",
		"resumed-watch on 3.6.16 never checks " + of.Claims[1].Property + ", and there is no reason for it",
	}, verdicts.wrong(rows))
	unasked[[2]string{"issue-15220", "linearizable"}] = "none"
	defer delete(unasked, [2]string{"issue-15220", "linearizable"})
	require.Equal(t, []string{"there is a reason why issue-15220 does not check linearizable, and it does"}, idle(rows))
}

// TestDifferencesAreFound: a claim that one front violates and the other does not.
func TestDifferencesAreFound(t *testing.T) {
	rows := []verdictRow{
		{Scenario: "a", Etcd: newEtcd, Schedules: 20, Claims: []claim{{"x", tally{9, 2}}, {"y", tally{9, 1}}, {"z", tally{9, 0}}}},
		{Scenario: "a", Etcd: nextNew, Schedules: 30, Claims: []claim{{"x", tally{9, 0}}, {"y", tally{9, 3}}, {"z", tally{9, 0}}}},
		{Scenario: "b", Etcd: newEtcd, Schedules: 20, Claims: []claim{{"x", tally{9, 2}}}},
	}
	require.Equal(t, []difference{{"a", "x", [2]uint64{2, 0}, [2]uint64{20, 30}}}, differences(rows, newEtcd, nextNew))
	require.Empty(t, differences(rows, newEtcd, streams))
}

// TestTurnsGoOn: the second turn of a scenario runs the seeds behind those of the first, and a violation that is not
// known is told.
func TestTurnsGoOn(t *testing.T) {
	needs(t, guest)
	lots, err := take(t.Context(), nil, "stale-list", guest)
	require.NoError(t, err)
	once := lots[0]
	require.NotZero(t, once.Schedules)
	require.NotEmpty(t, once.Found, "a LIST at resourceVersion 0 is stale")
	lots, err = take(t.Context(), lots, "stale-list", guest)
	require.NoError(t, err)
	require.Len(t, lots, 1)
	require.Greater(t, lots[0].Schedules, once.Schedules)
	require.Equal(t, once.Found[0].Seed, lots[0].Found[0].Seed)
	require.Empty(t, amissInHunt(lots))
	lots[0].add(found{Property: "ordered", Label: "backwards", Schedules: 1, Seed: hunted})
	wrong := amissInHunt(lots)
	require.Len(t, wrong, 1)
	require.Contains(t, wrong[0], "violates ordered (backwards)")
}

// TestSomeBugsAreFound holds rows of reproductions that are found after a few schedules, of which a guest is compiled:
// that takes minutes each. make test compiles one.
func TestSomeBugsAreFound(t *testing.T) {
	held := []string{"123674", "134831"}
	directory, err := guests.Directory()
	require.NoError(t, err)
	looked := 0
	for _, name := range held {
		b, compiled := findBug(name), guest+"+"+name
		if _, err := os.Stat(guests.Path(directory, compiled)); err != nil {
			continue
		}
		looked++
		sc, p, err := b.prepared(compiled)
		require.NoError(t, err)
		found, _, err := b.look(t.Context(), sc, &p, 0, 100)
		require.NoError(t, err)
		require.NotNil(t, found, b.name)
		require.NoError(t, replay(sc, &p, found), b.name)
	}
	require.NotZero(t, looked, `run "make upstream GUEST=kubernetes@v0.37.2+%s"`, held[0])
}

// TestBugOfEtcdShows holds a row of the table of clusters, and its control: the first start alone, which takes seconds.
func TestBugOfEtcdShows(t *testing.T) {
	b := findEtcdBug("14370")
	needs(t, "cluster@v"+b.releases[0], "cluster@v"+b.mended)
	of, err := b.shown(b.releases[0]).run(t.Context(), b, 0, b.each)
	require.NoError(t, err)
	require.NotZero(t, of.violated)
	require.NoError(t, of.replay(t.Context()))
	for _, control := range b.controls(b.releases[0]) {
		of, err := control.run(t.Context(), b, 0, b.each)
		require.NoError(t, err)
		require.Zero(t, of.violated, control.name)
	}
}

// TestAmissIsFoundInCluster: a bug that does not show, and one that shows in a control.
func TestAmissIsFoundInCluster(t *testing.T) {
	require.Equal(t, []string{
		"14370 on 3.5.0: it does not show",
		"14370 on 3.5.0: the property is violated in 3.5.5, too",
	}, clusterBugs.wrong([]clusterRow{{Bug: "14370", Release: "3.5.0", Controls: []controlRun{{"3.5.5", 300, 1}}}}))
}

// TestExactIntervals has those of tables.
func TestExactIntervals(t *testing.T) {
	for _, of := range []struct {
		k, n      uint64
		low, high float64
	}{{0, 60, 0, 0.0596}, {3, 60, 0.0104, 0.1392}, {20, 20, 0.8316, 1}, {16, 120, 0.0782, 0.2075}} {
		low, high := exactInterval(of.k, of.n)
		require.InDelta(t, of.low, low, 0.0001)
		require.InDelta(t, of.high, high, 0.0001)
	}
}
