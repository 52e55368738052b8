package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

var RestoredBackup = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "restored-backup",
	Summary: "etcd is restored from a backup that lacks its last writes, under API servers and informers that have seen them",
	Doc: `etcd loses its data and comes back from a backup (etcdutl snapshot restore), while API servers and their clients live on
(kubernetes/kubernetes#107457). The writes behind the backup are lost, which a backup may do. What is asked for after that must be
answered from what there is then. etcdutl has flags for that: --bump-revision raises the revision beyond all that was ever seen, and
--mark-compacted, which belongs to it, has each watch that resumes end with "compacted", so that its cache lists again (backup-restore=bumped).

Without them (backup-restore=plain) revisions are given a second time: a cache that is ahead of the backup takes itself for fresh, and keeps
what was lost.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=2 writes=4 deletes=true txns=true noise=1 noise-writes=2 readers=2 reads=4 read=consistent informers=1 keys=3 items=2
		restores=1 backup-restore=bumped await-ready=true to-rest=true steps=20000`),
	Draws:  option.Ranges(`writers=1|3 writes=2|6 readers=1|3 keys=1|4 items=0|4 caches=2 informers=2 breaks=1 restarts=1 restores=2`),
	About:  testbed.Reaches{"etcd: restored from a backup": 60},
	Active: testbed.Active{"backup-restore=bumped": "backup-restore=plain"},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.MatchEtcd, informers.MatchEtcd, informers.CatchUp},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.BackInTime(informers.MatchEtcd, informers.CatchUp),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
