package check

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
)

var (
	checks        = sim.NewNote1[int64]("check.checks", "compares its contents with etcd's at revision %r")
	differs       = sim.NewNote1[int64]("check.differs", "finds that etcd has other contents at revision %r")
	answerDiffers = sim.NewNote1[int64]("check.answerDiffers", "finds that etcd has other contents at revision %r than the cache has answered")
	listChecked   = sim.NewNote1[int64]("check.listChecked", "asks etcd for what it has answered at resourceVersion %r, to compare them")
	answerAgrees  = sim.NewNote1[int64]("check.answerAgrees", "finds that etcd has the same contents at revision %r as the cache has answered")
	compacted     = sim.NewNote1[int64]("check.compacted", "drops the snapshots from before the compaction at revision %r")
)

// Consistency checker and inconsistency detector.
var (
	checkMatched     = sim.NewCoveragePoint("cache: consistency check succeeded")
	checkMismatched  = sim.NewCoveragePoint("cache: consistency check failed")
	checkFailed      = sim.NewCoveragePoint("cache: consistency check without an answer of etcd")
	checkUnready     = sim.NewCoveragePoint("cache: consistency check while not ready")
	checkPaged       = sim.NewCoveragePoint("cache: consistency check of several pages")
	checkHashed      = sim.NewCoveragePoint("cache: consistency check by a hash of etcd")
	checkPanicked    = sim.NewCoveragePoint("cache: process ended by a failed consistency check")
	listCompared     = sim.NewCoveragePoint("cache: answered list compared with etcd")
	listNotCompared  = sim.NewCoveragePoint("cache: answered list that etcd could not be asked for")
	listInconsistent = sim.NewCoveragePoint("cache: answered list not what etcd has")
)

// What the checker costs etcd, and upstream's counter of its outcomes.
var (
	checksSucceeded = metric.NewCounter(`apiserver_storage_consistency_checks_total{status="success"}`, metric.Counted,
		"consistency checks that found cache and etcd equal")
	checksFailed = metric.NewCounter(`apiserver_storage_consistency_checks_total{status="failure"}`, metric.Counted,
		"consistency checks that found cache and etcd different")
	checksErred = metric.NewCounter(`apiserver_storage_consistency_checks_total{status="error"}`, metric.Counted,
		"consistency checks that came to nothing")
	checkRequests = metric.NewCounter("consistency_check_etcd_requests_total", metric.Counted,
		"pages that consistency checks listed from etcd")
	checkBytes = metric.NewCounter("consistency_check_etcd_bytes_total", metric.Bytes,
		"keys and values that consistency checks listed from etcd, or hashes")
	checkDuration = metric.New("consistency_check_duration_seconds", metric.Nanoseconds,
		"how long consistency checks took that have a result")
)
