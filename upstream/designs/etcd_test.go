package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestMendedEtcd: the watch servers of the newest releases have neither etcd-io/etcd#15220 nor #17507. TestFourCorners
// finds both in the releases that have them.
func TestMendedEtcd(t *testing.T) {
	for _, etcd := range []string{"etcd@v3.5.35", "etcd@v3.6.16", "etcd@v3.7.3"} {
		for sc, seeds := range map[*testbed.Scenario]int{scenarios.Issue15220: 120, scenarios.Issue17507: 20} {
			t.Run(etcd+"/"+sc.Name, func(t *testing.T) {
				for name, property := range explored(t, sc, seeds, "cache=kep-2340", "etcd="+etcd) {
					require.NotZero(t, property.Exercised, name)
					require.Equal(t, model.Holds, property.Verdict, name)
				}
			})
		}
	}
}

// TestEtcdRests: the loops of the released code tick without end. Where a turn will find nothing to do, nothing more
// can happen, and what is judged then is judged: each watch has been sent every change, and as many streams are left as
// clients have open.
func TestEtcdRests(t *testing.T) {
	got := explored(t, scenarios.WatchesAtRest, 40, "cache=kep-2340", "etcd=etcd@v3.6.16")
	for _, name := range []string{"watches-keep-up", "etcd-nothing-left"} {
		require.Equal(t, model.Holds, got[name].Verdict, name)
		require.Greater(t, got[name].Exercised, uint64(30), name)
	}
}

// TestBugsOfEtcd36: the watch server of etcd 3.6.0 itself lets a watch from revision -1 take the events of another one
// (etcd-io/etcd#20693), and moves a watch from a future revision back when it installs a snapshot (etcd-io/etcd#20221).
// That of 3.6.16 does neither.
func TestBugsOfEtcd36(t *testing.T) {
	for sc, property := range map[*testbed.Scenario]string{scenarios.NegativeWatch: "reliable", scenarios.FutureWatch: "resumable"} {
		for etcd, want := range map[string]model.Verdict{"etcd@v3.6.0": model.Violated, "etcd@v3.6.16": model.Holds} {
			got := explored(t, sc, 60, "cache=kep-2340", "etcd="+etcd)[property]
			t.Logf("%s, %s: %d of 60", sc.Name, etcd, got.Violations)
			require.Equal(t, want, got.Verdict, "%s on %s", sc.Name, etcd)
		}
	}
}

// TestRestartedEtcdRestoresItself: a member that is killed finds in its backend what it had committed, which may lack
// the newest writes, and has the rest from the raft log, after a snapshot as well.
func TestRestartedEtcdRestoresItself(t *testing.T) {
	got := explored(t, scenarios.WatchGuarantees, 150, "cache=kep-2340", "etcd=etcd@v3.6.16")
	for _, name := range []string{"reliable", "unique", "ordered", "watch-answers"} {
		require.Equal(t, model.Holds, got[name].Verdict, name)
		require.NotZero(t, got[name].Exercised, name)
	}
}

// TestFaultsReachReleasedCode: a stream that requires a leader ends with it, and what keeps responses from a client
// blocks the loop that sends them, so that consistent LISTs fall back to etcd and cost too much.
func TestFaultsReachReleasedCode(t *testing.T) {
	require.Equal(t, model.Holds, explored(t, scenarios.LongWithoutLeader, 30, "cache=kep-2340", "etcd=etcd@v3.6.16")["needs-leader"].Verdict)
	fallback, err := testbed.FindScenario("seats-fallback")
	require.NoError(t, err)
	require.Equal(t, model.Violated, explored(t, fallback, 30, "cache=kep-2340-fallback", "etcd=etcd@v3.6.16")["etcd-within-seats"].Verdict)
}
