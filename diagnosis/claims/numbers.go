package claims

// The numbers of the documents, in their order.

const (
	listbench = "cd conformance && make servers && go run ./cmd/listbench"
	servers   = "cd conformance && make servers && go test ./shell -run TestIssue15220OnRealServers"
	memory    = "go test ./scenarios -run TestMemoryOfInformers -v"
	snapshots = "go test ./sim/cache/store -run TestSnapshotMemory -v"
	article   = "article on consistent LISTs"
)

var documents = []struct {
	name string
	says []said
}{
	{kep2340, []said{
		elsewhere("Motivation", "150,000 pods are listed for the 30 of one node, by each of 5,000 kubelets", BorneOut,
			"by index 0.2 ms a LIST, from etcd 0.8 to 2.3 s", "the index finds the 30, and etcd sends all", listbench+" -store pods"),
		claimed("Motivation", saysSelected),
		adopted("Consistent reads from cache", "progress is requested every 100 ms", "the period of progress-requests=periodic"),
		elsewhere("Bug in etcd progress notification", "the bug is fixed in 3.4.25 and 3.5.8", BorneOut,
			"stale reads on 3.4.24 and 3.5.7, none on 3.4.25 and 3.5.8; on a real 3.5.7 in 12 of 12 runs",
			"progress=deferred took the place of progress=control-queue", "simrun run issue-15220 --etcd 3.5.8; "+servers),
		elsewhere("e2e tests", "2 to 10 times less processor time", BorneOut,
			"etcd takes 60 to 9,000 times less, 30 and 300 times at least without an index", "more than claimed: API servers decode and encode, which these do not", listbench),
		elsewhere("e2e tests", "20 to 50 times lower latency", BorneOut,
			"30 to 15,000 times", "more than claimed, for the reason above", listbench),
		elsewhere("e2e tests", "300,000 objects of 1 KB and 300 of 1 MB, a LIST a second that selects none", BorneOut,
			"0.2 ms by index, 8 to 100 ms object by object; from etcd 3 to 5 s, and 0.4 to 0.9 s", "the table has 500 ms against 10.5 s, and 25 ms against 1.4 s", listbench+" -store small"),
		adopted("Beta", "etcd 3.3, 3.4.24 and 3.5.7 are deprecated", "version-check"),
		claimed("What specific metrics should inform a rollback?", saysReadWait),
	}},
	{draft2019, []said{
		adopted("Use WithProgressNotify to enable automatic watch updates", "etcd sends progress every 10 minutes by itself", "the default of notify; TestNotifyIntervals: every read that waits is refused after 3 s"),
		elsewhere("Use WithProgressNotify to enable automatic watch updates", "250 ms between notifications add up to 250 ms to a LIST", Contradicted,
			"up to 271 ms where the resource is not written, up to 512 ms where it is", "etcd's jitter of up to 10 %, and a tick that leaves a watch out", "go test ./diagnosis/claims -run TestProgressNotifyOf2019 -v"),
		elsewhere("Risks and Mitigations", "an interval of 50 ms takes noticeably more processor time", Contradicted,
			"52 ms mean wait at 50 ms as at 100 ms", "etcd raises the interval to 100 ms at least: 50 ms cannot be had", "go test ./diagnosis/claims -run TestNotifyIntervals -v"),
		claimed("Determining if etcd is sending progress notify events", saysDetect),
		claimed("Progress notify interval selection", saysAverage),
		elsewhere("Test Plan", "a consistent LIST takes about 250 ms more on average", Contradicted,
			"131 ms where the resource is not written, 161 ms where it is written twice a second", "half an interval, as the section on the interval itself says", "go test ./diagnosis/claims -run TestProgressNotifyOf2019 -v"),
		adopted("Pagination", "etcd keeps 5 minutes of history", "the default of compact-interval"),
	}},
	{kep3157, []said{
		adopted("Proposal", "an object of etcd has 1.5 MB at most", "the limit of etcd's requests"),
		adopted("Step 2b: What happens when new events are received while the cacheWatcher is sending initial data?", "a watcher's channel has 10 or 1,000 slots", "the default of watch-buf: 10, 100 or 1,000 by the kind of resource and its rate of events, as v0.37.2 has it"),
		adopted("Step 2b: What happens when new events are received while the cacheWatcher is sending initial data?", "a watch waits while the cache is 1,000 revisions behind, for 10 s at most", "initial-events-buffer=close-enough"),
		adopted("Step 2b: What happens when new events are received while the cacheWatcher is sending initial data?", "10 s are about 5,000 events at 500 writes a second", "arithmetic: noise-writes sets the rate"),
		adopted("Step 2c: How bookmarks are delivered to the cacheWatcher?", "bookmarks are looked for every second, and one is due each minute", "the bookmark timer; bookmarks-in-time judges the minute"),
		claimed("Step 2c: How bookmarks are delivered to the cacheWatcher?", saysSix),
		adopted("Motivation", "a LIST takes five times the bytes of etcd's answer for a while", "list_temporary_bytes: the factor comes from decoding, conversion and encoding, which are not here"),
		elsewhere("Manual testing without the changes in place", "400 objects of 1 MB are 400 MB for an informer, and 16 informers are too many", BorneOut,
			"6.4 GB of answers at the same time, 19 GB with the factor of 3 of the cache, 32 GB if etcd answers", "each LIST has an answer of its own", memory),
		elsewhere("Goals", "512 watches of 400 MB take 2 GB, and LISTs 5 times 200 GB", Contradicted,
			"160 MB for 16 watches, 10 MB each", "10 slots of the watcher's channel may all hold an object of 1 MB; with 2 slots (watch-buf=2) it is 2 MB each", memory),
		elsewhere("Results with WATCH-LIST", "at least 100 times better: 1,024 informers in place of 16", BorneOut,
			"410 GB of answers to LISTs, 10 GB in channels: 40 times less, 120 times with the factor of 3 of the cache", "channels are bounded, answers are not", memory),
		beyond("Important optimisations", "an event takes 4 allocations for each watcher", "allocations of the watch server, which encodes: nothing is encoded here"),
		beyond("Results with WATCH-LIST", "1,024 informers had 400 GB after 25 minutes", "the time is that of a network and of processors"),
		claimed("Goals", saysTwoMB),
		claimed("Goals", saysLoad),
		claimed("Alternatives", saysSudden),
		claimed("Will enabling / using this feature result in any new API calls?", saysRequests),
		elsewhere("Alternatives", "pages of LISTs from the cache would take 2 to 3 times the page for each client", BorneOut,
			"800 MB of answers for 16 informers with pages of 50, 2.4 GB with the factor of 3; 160 MB in channels for streams",
			"each client has a page of its own: \"it would actually not solve the issue\"", memory),
		beyond("Alternatives", "runtime.ReadMemStats every 100 ms stops all goroutines 10 times a second", "a property of Go's runtime, and of no cache"),
	}},
	{kep4988, []said{
		claimed("Summary", saysBypass),
		adopted("Watch cache compaction", "API servers compact etcd every 5 minutes", "the default of compact-interval"),
		beyond("Snapshot memory overhead", "snapshots take 7 GB more allocations, 0.2 % of all", "of all allocations of an API server under load, most of which are of encoders: nothing is encoded here"),
		elsewhere("Snapshot memory overhead", "snapshots take 300 MB", BorneOut,
			"195 MB for the 102,400 snapshots of a full history", "copies of the tree share their nodes: 1.9 kB a snapshot", snapshots),
		elsewhere("Snapshot memory overhead", "snapshots take 1.3 % of the memory", Contradicted,
			"1.65 % with 1,000 snapshots of 100,000 objects of 1 KiB, 14.9 % with 10,000; 0.73 % with 500 of 10,000 objects of 10 KiB", "the share follows the number of events in the history, and the size of objects", snapshots),
		adopted("Hashing algorithm", "a consistency check every 5 minutes, with the 64-bit FNV hash", "the checker's period, which checks-apart judges; TestDigest compares the hash"),
		claimed("Does enabling the feature change any default behavior?", saysPages),
		claimed("Will enabling / using this feature result in non-negligible increase of resource usage (CPU, RAM, disk, IO, ...) in any components?", saysUnread),
	}},
	{article, []said{
		elsewhere("社区实现", "progress requests every 100 ms add 100 ms at most to a LIST", Contradicted,
			"p99 99.6 ms, max 174 ms on a good network", "request and answer take time beside the period", "simrun run cost-elsewhere --etcd 3.6.16 --strategy random --seeds 0..39"),
		adopted("问题二", "syncWatchers runs every 100 ms", "the period of etcd's syncWatchersLoop"),
	}},
}
