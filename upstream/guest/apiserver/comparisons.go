package apiserver

import (
	"context"
	"slices"
	"strconv"
	"sync"

	dto "github.com/prometheus/client_model/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher/metrics"
	k8smetrics "k8s.io/component-base/metrics"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// comparisons are those that the consistency checker of KEP-4988 makes. It begins one at a time.
type comparisons struct {
	// labels are those of the metric but for the status.
	labels []string
	// outcomes are what the metric storage_consistency_checks_total counts.
	outcomes []counted
	all      []comparison
	// told is how many the host knows with their outcomes.
	told int
}

// comparison is one of them. It begins when the checker lists etcd.
type comparison struct {
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
	c.settle()
	for i := range c.outcomes {
		c.outcomes[i].before = c.outcomes[i].value()
	}
	c.all = append(c.all, comparison{resourceVersion, protocol.Pending})
}

func (c *comparisons) counted(status string, outcome byte) counted {
	counter := metrics.StorageConsistencyCheckTotal.WithLabelValues(append(slices.Clone(c.labels), status)...)
	return counted{counter: counter.(written), outcome: outcome}
}

// settle looks for the outcome of the last comparison. It takes no lock.
func (c *comparisons) settle() {
	k := len(c.all) - 1
	if k < 0 || c.all[k].outcome != protocol.Pending {
		return
	}
	for i := range c.outcomes {
		if o := &c.outcomes[i]; o.value() > o.before {
			c.all[k].outcome = o.outcome
		}
	}
}

// settled is how many have an outcome: all, or all but the last.
func (c *comparisons) settled() int {
	k := len(c.all)
	if k > 0 && c.all[k-1].outcome == protocol.Pending {
		k--
	}
	return k
}

// write writes those that the host does not know with their outcomes, and the place of the first of them.
func (c *comparisons) write(w *protocol.Writer) {
	w.Int(int64(c.told)).Int(int64(len(c.all) - c.told))
	for _, of := range c.all[c.told:] {
		w.Int(of.resourceVersion).Byte(of.outcome)
		if of.outcome != protocol.Pending {
			c.told++
		}
	}
}

func (c *counted) value() float64 {
	var m dto.Metric
	if err := c.counter.Write(&m); err != nil {
		panic(err)
	}
	return m.GetCounter().GetValue()
}

// compared is the storage of the delegator. What lists all of an exact resourceVersion there, and for no client's
// request, is the consistency checker.
type compared struct {
	storage.Interface
	with *comparisons
}

// GetList implements storage.Interface.
func (s compared) GetList(ctx context.Context, key string, opts storage.ListOptions, into runtime.Object) error {
	exact := opts.Recursive && opts.ResourceVersionMatch == metav1.ResourceVersionMatchExact
	if _, client := ctx.Value(traceKey{}).(*trace); !client && exact && opts.Predicate.Continue == "" {
		at, err := strconv.ParseInt(opts.ResourceVersion, 10, 64)
		if err != nil {
			return err
		}
		s.with.begin(at)
	}
	return s.Interface.GetList(ctx, key, opts, into)
}
