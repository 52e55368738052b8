package main

// etcdBug is a bug of etcd that released servers have.
type etcdBug struct {
	// name is the number of the issue, words what goes wrong.
	name, words string
	// releases have the bug, mended is the one that has it no more, empty if none is.
	releases []string
	mended   string
	// property is what it violates in the world of config, which is what the default configuration has otherwise, as
	// JSON. about says what that world is.
	property, config, about string
	// left is the config without what the bug needs, which without names.
	left, without string
	// each is how many schedules run from each seed on.
	each uint64
}

// etcdBugs are in the order of their numbers, those without one last.
var etcdBugs = []etcdBug{
	{
		name: "12578", words: "A member alone whose process is killed in its first start, behind the creation of its WAL and before the first entries are there, never has a leader again.",
		releases: []string{"3.5.35", "3.6.16", "3.7.3"},
		property: "recovers", each: 10,
		about:   "One member that starts for the first time, and whose disk takes time.",
		config:  `{"warm":false,` + little + `}`,
		left:    `{` + little + `}`,
		without: "a first start",
	},
	{
		name: "13766", words: "A member whose process is killed has taken an entry for applied that it had not applied, and differs from the others.", releases: []string{"3.5.0"}, mended: "3.5.5",
		property: "members-agree", each: 16,
		about:  "Three members that are killed, and ten clients that write at once. Goroutines may give way at locks, and be late.",
		config: `{"choices":{"goroutines":true,"locks":true,"late":true,"lateFor":"60ms","sync":"5ms","down":"100ms"},` + only + `"kills":6},"clients":10,"operations":20,"think":"20ms","for":"2s","network":"4ms","watchers":0,"shares":{"put":20,"get":1}}`,
	},
	{
		name: "14370", words: "A member alone answers a write before that is durable, and loses it with its power.", releases: []string{"3.5.0"}, mended: "3.5.5",
		property: "linearizable", each: 40,
		about:  "One member, of which the power fails, and whose disk takes time, or all time.",
		config: `{"members":1,"choices":{"sync":"20ms","down":"100ms"},` + only + `"powerLosses":3,"stalls":2},"clients":4,"operations":12,"think":"300ms","for":"4s","watchers":0,"network":"5ms"}`,
	},
	{
		name: "14571", words: "A member that has installed a snapshot knows of no user, refuses what users may do, and differs from the others.", releases: []string{"3.5.5"}, mended: "3.5.12",
		property: "members-agree", each: 4,
		about:  "Three members and a spare, which are removed and added, and send a snapshot after a few entries, and clients that are different users.",
		config: `{"auth":true,"spares":1,"member":{"snapshotCount":5,"snapshotCatchUpEntries":2,"looseReconfig":true},` + only + `"changes":2},"clients":4,"operations":15,"think":"300ms","for":"5s","watchers":0,"shares":{"get":0,"list":0,"serializable":0,"delete":0,"txn":0,"put":8}}`,
	},
	{
		name: "14685", words: "A member that is killed after its backend was defragmented applies entries again, and differs from the others.", releases: []string{"3.5.5"}, mended: "3.5.12",
		property: "members-agree", each: 12,
		about:   "Three members, which are defragmented and killed.",
		config:  `{"choices":{"sync":"20ms","down":"200ms"},` + only + `"kills":3,"defragments":12},` + writes + `}`,
		left:    `{"choices":{"sync":"20ms","down":"200ms"},` + only + `"kills":3},` + writes + `}`,
		without: "defragmentation",
	},
	{
		name: "15220", words: "A progress notification that a client requests comes before events that it is ahead of.", releases: []string{"3.5.5"}, mended: "3.5.12",
		property: "bookmarkable", each: 4,
		about:  "Three members, and clients that request progress every 40 ms, while their connections break.",
		config: `{` + only + `"losses":8},` + watched + `,"progress":"40ms"}`,
	},
	{
		name: "15247", words: "A leader whose disk stalls, and which another one has replaced, has leases revoked that are kept alive at that one.", releases: []string{"3.5.5"}, mended: "3.6.16",
		property: "leases-kept", each: 12,
		about:  "Three members with disks that stall, and clients that keep leases of two seconds alive.",
		config: `{"choices":{"sync":"5ms"},` + only + `"stalls":3},"holders":3,"ttl":"2s","clients":1,"operations":8,"for":"12s","watchers":0}`,
	},
	{
		name: "15271", words: "A watch is sent old events again after its member has installed a snapshot.", releases: []string{"3.5.5"}, mended: "3.5.12",
		property: "unique", each: 10,
		about:  "Three members that are cut off from each other, and send a snapshot after a few entries.",
		config: `{"member":{"snapshotCount":5,"snapshotCatchUpEntries":2},` + only + `"partitions":4,"breaks":2},` + watched + `}`,
	},
	{
		name: "17780", words: "A member that is killed while it compacts, where the newest revision is a deletion, is at an older revision behind that.", releases: []string{"3.5.12"}, mended: "3.5.17",
		property: "members-agree", each: 16,
		about:  "Three members that are killed, and compact one revision at a time, and clients that delete and compact.",
		config: `{"member":{"snapshotCount":20,"compactionBatchLimit":1},"choices":{"sync":"5ms","down":"200ms"},` + only + `"kills":6},"clients":2,"keys":2,"think":"200ms","operations":20,"for":"4s","watchers":0,"shares":{"get":1,"put":3,"delete":3,"list":0,"serializable":0,"txn":0,"compact":3}}`,
	},
	{
		name: "18089", words: "A watch that begins at the revision of a compaction misses a delete at that revision (3.5.12 has #19179, too).", releases: []string{"3.5.12"}, mended: "3.6.16",
		property: "resumable", each: 10,
		about:  "Three members, and clients that delete and compact, while connections of watchers break.",
		config: `{` + only + `"kills":1,"pauses":2,"partitions":1,"losses":6},` + compactions + `}`,
	},
	{
		name: "18667", words: "A transaction that reads at a compacted revision fails at the member that was asked, and writes at the others.", releases: []string{"3.5.35", "3.6.16"}, mended: "3.7.3",
		property: "members-agree", each: 10,
		about:  "Three members, and clients that compact, and write in transactions that read at an older revision. In each run some of the faults strike.",
		config: `{"operations":12,"think":"400ms","for":"5s","shares":{"get":2,"list":1,"put":3,"past":3,"compact":2},"watchers":1}`,
	},
	{
		name: "19179", words: "A watch misses a delete at the revision of a compaction that its member has carried on with after a restart.", releases: []string{"3.5.17"}, mended: "3.5.35",
		property: "resumable", each: 30,
		about:  "One member that is killed, and compacts one revision at a time, clients that delete and compact, and a network that takes time.",
		config: `{"members":1,"member":{"compactionBatchLimit":1},"choices":{"sync":"5ms","down":"200ms"},` + only + `"kills":12},"clients":3,"keys":2,"think":"100ms","network":"200ms","operations":25,"for":"6s","watchers":6,"shares":{"get":0,"put":2,"delete":3,"list":0,"serializable":0,"txn":0,"compact":3}}`,
	},
	{
		name: "19557", words: "A learner that was promoted is a learner again in members that were upgraded.", releases: []string{"3.5.12"}, mended: "3.5.35",
		property: "same-members", each: 8,
		about:  "Three members that are upgraded to 3.6.0, while others are added and promoted.",
		config: `{"spares":1,"next":"cluster@v3.6.0","member":{"snapshotCount":5,"snapshotCatchUpEntries":3,"looseReconfig":true},` + only + `"changes":2,"upgrades":1},"operations":25,"for":"12s","shares":{"get":0,"list":0,"serializable":1,"put":8}}`,
	},
	{
		name: "20055", words: "A member that is restarted with --force-new-cluster goes on with the others in its list, as it has applied that they were added and has not noted that this is decided.",
		releases: []string{"3.6.0"}, mended: "3.6.16",
		property: "recovers", each: 8,
		about:  "Two members, of which one is lost for ever, and the other one becomes a cluster by itself.",
		config: `{"members":2,` + only + `"forceNewClusters":1}}`,
	},
	{
		name: "20221", words: "A watch from a revision that is still to come is sent older events after its member has installed a snapshot.", releases: []string{"3.5.12", "3.6.0"}, mended: "3.6.16",
		property: "resumable", each: 8,
		about:  "As #15271's, where watches begin at any of the first 40 revisions.",
		config: `{"member":{"snapshotCount":5,"snapshotCatchUpEntries":2},` + only + `"partitions":4,"breaks":2},` + watched + `,"ahead":40}`,
	},
	{
		name: "20271", words: "A backend that is defragmented while its member installs a snapshot takes the place of that snapshot, and the member panics when it starts again.", releases: []string{"3.6.0"}, mended: "3.6.16",
		property: "no-panic", each: 30,
		about:  "Three members that are killed and defragmented often, and send a snapshot after a few entries. Any goroutine that can run may do so next.",
		config: `{"member":{"snapshotCount":2,"snapshotCatchUpEntries":1},"choices":{"goroutines":true,"sync":"20ms","down":"300ms"},` + only + `"kills":6,"defragments":60},"clients":6,"think":"100ms","network":"5ms","operations":20,"for":"3s","watchers":0,"shares":{"get":1,"list":0,"serializable":0,"put":19,"delete":0,"txn":0}}`,
	},
	{
		name: "20693", words: "While a watch from revision -1 is there, watches that catch up miss events.", releases: []string{"3.5.17", "3.6.0"}, mended: "3.6.16",
		property: "resumable", each: 4,
		about:  "Three members, and two clients that watch from revision -1 again and again, while connections of others break.",
		config: `{` + only + `"losses":8},` + watched + `,"negative":2}`,
	},
	{
		name: "21682", words: "A user that may write a key reads it, with a put in a transaction that asks for what was there before.", releases: []string{"3.5.17", "3.6.8"}, mended: "3.6.16",
		property: "permitted", each: 4,
		about:  "Three members that nothing befalls, and clients that do that.",
		config: `{"auth":true,"watchers":0,` + only + `"losses":0},` + trying + `"previous":4}}`,
	},
	{
		name: "21966", words: "A member that has just been removed panics when it is asked for its status.", releases: []string{"3.5.35", "3.6.16", "3.7.3"},
		property: "no-panic", each: 10,
		about:   "Three members and a spare, which are added and removed, and a client that asks for the status.",
		config:  `{"spares":1,"observe":"300ms","member":{"looseReconfig":true},` + removals + `}`,
		left:    `{"spares":1,"member":{"looseReconfig":true},` + removals + `}`,
		without: "that client",
	},
	{
		name: "22376", words: "After a transaction that deletes and writes a key, and a compaction there, a read of the key panics.", releases: []string{"3.5.35", "3.6.16", "3.7.3"}, mended: "3.5.12",
		property: "no-panic", each: 4,
		about:  "One member, and a client that does that.",
		config: `{"members":1,` + only + `"losses":0},"clients":1,"keys":1,"operations":12,"think":"100ms","for":"2s","watchers":0,"shares":{"get":2,"list":0,"serializable":0,"put":0,"delete":0,"txn":0,"rewrite":2,"compact":2}}`,
	},
	{
		name: "GHSA-q8m4-xhhv-38mg", words: "Any user compacts.", releases: []string{"3.5.17", "3.6.8"}, mended: "3.6.16",
		property: "permitted", each: 4,
		about:  "As #21682's, where clients compact.",
		config: `{"auth":true,"watchers":0,` + only + `"losses":0},` + trying + `"compact":4}}`,
	},
	{
		name: "GHSA-rfx7-8w68-q57q", words: "A user does what it may not, in a transaction that is in another one.", releases: []string{"3.5.17", "3.6.8"}, mended: "3.6.16",
		property: "permitted", each: 4,
		about:  "As #21682's, where clients do that.",
		config: `{"auth":true,"watchers":0,` + only + `"losses":0},` + trying + `"nested":4}}`,
	},
	{
		name: "GHSA-xg4h-6gfc-h4m8", words: "A user that may read a key has a watch of all keys behind it.", releases: []string{"3.5.17", "3.6.8"}, mended: "3.6.16",
		property: "permitted", each: 4,
		about:  "Three members that nothing befalls, and watchers that ask for all keys, for one, or for all from there on.",
		config: `{"auth":true,"watchers":4,` + only + `"losses":0},` + trying + `"get":1}}`,
	},
	{
		name: "reversed", words: "A leader's appends go out in another order than raft has made them, and followers reject them (3.7.1's change of the order in which messages are sent).",
		releases: []string{"3.7.1"}, mended: "3.7.3",
		property: "appends-taken", each: 4,
		about:  "Three members that nothing befalls, whose disks take time, and twelve clients.",
		config: `{"choices":{"sync":"20ms"},` + only + `"losses":0},"clients":12,"operations":6,"think":"20ms","for":"2s","watchers":0,"shares":{"put":20}}`,
	},
	{
		name: "raft-105", words: "A member alone answers a linearizable read after a restart with data that is older than what it has answered before (etcd-io/raft, pull request 105, open).",
		releases: []string{"3.6.0", "3.6.16", "3.7.3"}, mended: "3.5.35",
		property: "linearizable", each: 20,
		about:  "One member, whose process is killed, and whose disk takes time.",
		config: `{"members":1,"choices":{"sync":"20ms","down":"100ms"},` + only + `"kills":3},"clients":4,"operations":12,"think":"300ms","for":"4s","watchers":0,"network":"5ms"}`,
	},
}

// Parts of worlds.
const (
	// only begins the faults of a world that has those that follow, all of them in each run.
	only = `"faults":{"kills":0,"powerLosses":0,"pauses":0,"stalls":0,"partitions":0,"breaks":0,"moves":0,"all":true,`
	// writes are clients that do little else.
	writes = `"watchers":0,"operations":20,"think":"200ms","for":"3s","shares":{"put":8,"get":1}`
	// watched are clients that write, and others that watch.
	watched = `"operations":20,"think":"300ms","for":"6s","watchers":4,"shares":{"put":8}`
	// trying are clients that are different users. What they do stands behind it.
	trying = `"clients":4,"operations":8,"think":"200ms","for":"2s","shares":{"get":0,"list":0,"serializable":0,"delete":0,"txn":0,"put":2,`
	// removals are changes of the members, and one client.
	removals = only + `"changes":4},"for":"6s","watchers":0,"clients":1,"operations":2`
	// little is one member that is killed, whose disk takes time, and one client, which does little.
	little = `"members":1,"choices":{"sync":"20ms","down":"100ms"},` + only + `"kills":3},"clients":1,"operations":3,"think":"100ms","for":"1s","watchers":0,"settle":"10s"`
	// compactions are clients that write, delete and compact, and nothing else, and those that watch.
	compactions = `"operations":25,"keys":2,"think":"150ms","for":"4s","shares":{"get":0,"list":0,"serializable":0,"txn":0,"put":4,"delete":4,"compact":3},"watchers":4`
)

// unshown is a bug that does not show here.
type unshown struct{ name, why string }

// resisting are bugs that were looked for, and those that cannot show.
var resisting = []unshown{
	{"17529", "Watchers here take at once what they are sent, so that no stream starves. The watch server alone shows it (README.md)."},
	{"15247 in 3.5.12", "Not in 60 schedules of the world in which 3.5.5 shows it."},
	{"17247", "It was never released."},
	{"18055", "Not in 220 schedules of 3.5.12 and 3.6.0, with snapshots behind each entry or two, and members that are killed, cut off, late or have starved goroutines. The panic needs a second snapshot in the moments between two steps of one goroutine."},
	{"20418", "Not in 810 schedules of 3.6.8 with members that are paused, leaders that are moved, and networks of 20 to 400 ms. It needs two pauses that overlap, a request that is sent twice, and one order of four connections. A plan that pauses a member between two messages has shown it in a trial, and is not built."},
}
