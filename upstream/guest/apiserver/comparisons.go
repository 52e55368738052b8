package apiserver

import (
	"context"
	"strconv"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher/consistency"
	"k8s.io/apiserver/pkg/storage/cacher/metrics"
	k8smetrics "k8s.io/component-base/metrics"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// checkPeriod is that of the release.
var checkPeriod = consistency.CheckPeriod

// setCheckPeriod sets the time from one consistency check to the next; 0 is the release's.
func setCheckPeriod(d time.Duration) {
	consistency.CheckPeriod = checkPeriod
	if d != 0 {
		consistency.CheckPeriod = d
	}
}

// comparisons are those that the consistency checker of KEP-4988 makes. It begins one at a time.
type comparisons struct {
	resource schema.GroupResource
	// outcomes are what the metric storage_consistency_checks_total counts.
	outcomes []counted
	last     comparison
}

// comparison is one of them. It begins when the checker lists etcd.
type comparison struct {
	// number counts the comparisons from 1 on.
	number int64
	// resourceVersion is that of the cache's list, at which etcd is listed.
	resourceVersion int64
	outcome         byte
}

// counted is how often a status was counted when the last comparison began.
type counted struct {
	counter written
	outcome byte
	before  float64
}

// written is a metric whose value can be read.
type written interface{ Write(*dto.Metric) error }

// registered has the metric count: one that is in no registry does not.
var registered sync.Once

// begin is called by the checker, before it lists etcd.
func (c *comparisons) begin(resourceVersion int64) {
	if c.outcomes == nil {
		registered.Do(func() { k8smetrics.NewKubeRegistry().MustRegister(metrics.StorageConsistencyCheckTotal) })
		c.outcomes = []counted{
			c.counted("success", protocol.Consistent), c.counted("failure", protocol.Inconsistent), c.counted("error", protocol.CheckFailed),
		}
	}
	for i := range c.outcomes {
		c.outcomes[i].before = c.outcomes[i].value()
	}
	c.last = comparison{c.last.number + 1, resourceVersion, protocol.Pending}
}

func (c *comparisons) counted(status string, outcome byte) counted {
	counter := metrics.StorageConsistencyCheckTotal.WithLabelValues(c.resource.Group, c.resource.Resource, status)
	return counted{counter: counter.(written), outcome: outcome}
}

// newest is the last comparison, with its outcome if it has one by now. It takes no lock.
func (c *comparisons) newest() comparison {
	if c.last.number > 0 && c.last.outcome == protocol.Pending {
		for i := range c.outcomes {
			if o := &c.outcomes[i]; o.value() > o.before {
				c.last.outcome = o.outcome
			}
		}
	}
	return c.last
}

func (c *counted) value() float64 {
	var m dto.Metric
	if err := c.counter.Write(&m); err != nil {
		panic(err)
	}
	return m.GetCounter().GetValue()
}

// compared is the storage of the delegator. Whatever lists there for no client's request is the consistency checker.
type compared struct {
	storage.Interface
	with *comparisons
}

// GetList implements storage.Interface.
func (s compared) GetList(ctx context.Context, key string, opts storage.ListOptions, into runtime.Object) error {
	if _, client := ctx.Value(traceKey{}).(*trace); !client && opts.Predicate.Continue == "" {
		at, err := strconv.ParseInt(opts.ResourceVersion, 10, 64)
		if err != nil {
			return err
		}
		s.with.begin(at)
	}
	return s.Interface.GetList(ctx, key, opts, into)
}
