// Package traffic (unstable) counts what a cache asks of etcd and what comes
// back.
//
// The package must never import sim/cache or another package below it: all of
// them count here.
package traffic

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Operation is what a request to etcd is for.
type Operation uint8

// The operations.
const (
	CurrentRevision Operation = iota
	ListForReflector
	ListForClient
	ListExact
	GetForClient
	GetForWrite
	Write
	ListForDetector
	operations
)

// labels are those of the metrics, with what the operation is.
var labels = [operations]struct{ labels, help string }{
	CurrentRevision:  {`operation="getCurrentResourceVersion"`, "reads of etcd's current revision"},
	ListForReflector: {`operation="list",for="reflector"`, "pages of the list that the cache begins with"},
	ListForClient:    {`operation="list",for="client"`, "clients' LISTs of the newest state that went to etcd"},
	ListExact:        {`operation="list",for="exact"`, "clients' LISTs at a revision that went to etcd"},
	GetForClient:     {`operation="get"`, "clients' GETs that went to etcd"},
	GetForWrite:      {`operation="get",for="write"`, "objects that writes looked at in etcd"},
	Write:            {`operation="txn",for="write"`, "transactions of writes"},
	ListForDetector:  {`operation="list",for="detector"`, "lists of the inconsistency detector"},
}

// Names that begin with apiserver_ or etcd_ are Kubernetes', and measure what they
// measure there; the label "for" is added here.
var (
	requests = counters("etcd_requests_total", metric.Counted)
	bytes    = counters("etcd_response_bytes_total", metric.Bytes)
)

// counters makes a counter for each operation.
func counters(name string, u metric.Unit) (all [operations]metric.Metric) {
	for i, l := range labels {
		help := l.help
		if u == metric.Bytes {
			help = "keys and values in the answers"
		}
		all[i] = metric.NewCounter(name+"{"+l.labels+"}", u, help)
	}
	return all
}

// Asked counts a request.
func (op Operation) Asked(env *sim.Env) { env.Add(requests[op], 1) }

// Answered counts what came back.
func (op Operation) Answered(env *sim.Env, p *wire.RangeResponse) {
	if env.Mode() != sim.Timed {
		return
	}
	var n int64
	for _, kv := range p.Kvs {
		n += int64(len(kv.Key) + len(kv.Value))
	}
	env.Add(bytes[op], n)
}
