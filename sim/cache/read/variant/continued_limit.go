package variant

import "github.com/watchbed/watchbed/sim/cache/read"

// ContinuedLimitCounts is what the finding proposes.
var ContinuedLimitCounts = read.ContinuedLimits.Register("counts", "counts, as where etcd answers", func(limit int64) int64 { return limit })
