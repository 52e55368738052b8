package flowcontrol

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
)

// Names that begin with apiserver_ are Kubernetes', and measure what they measure there.
var (
	waitDuration = metric.New(`apiserver_flowcontrol_request_wait_duration_seconds{execute="true"}`, metric.Nanoseconds,
		"how long requests that were executed had waited for seats")
	rejected = [...]metric.Metric{
		QueueFull:    metric.NewCounter(`apiserver_flowcontrol_rejected_requests_total{reason="queue-full"}`, metric.Counted, "requests that found their queue full"),
		TimeOut:      metric.NewCounter(`apiserver_flowcontrol_rejected_requests_total{reason="time-out"}`, metric.Counted, "requests that waited too long for seats"),
		CostlyAtEtcd: metric.NewCounter(`flowcontrol_rejected_lists_total{reason="at-etcd"}`, metric.Counted, "LISTs that were to be put to etcd, and found too few seats for that"),
	}
	listsAtEtcd = metric.New("flowcontrol_lists_at_etcd", metric.Counted,
		"LISTs that an API server has with etcd, whenever it puts one there")
	objectsAtEtcd = metric.New("flowcontrol_objects_at_etcd", metric.Counted,
		"objects that these LISTs make etcd read")
	seatsAtEtcd = metric.New("flowcontrol_seats_at_etcd", metric.Counted,
		"seats that these LISTs would take, had they been estimated as what they are")
)

// measure is called when a LIST is put to etcd.
func (l *Level) measure(env *sim.Env) {
	if env.Mode() != sim.Timed {
		return
	}
	lists, objects, seats := int64(0), int64(0), int64(0)
	for i := range l.Executing() {
		r := &l.Executing()[i]
		if r.AtEtcd == 0 {
			continue
		}
		lists++
		seats += int64(r.AtEtcd)
		read := r.About.Objects
		if list := r.List(); list.Limit > 0 && list.Selector.Empty() {
			read = min(read, int(list.Limit))
		}
		objects += int64(read)
	}
	env.Record(listsAtEtcd, lists)
	env.Record(objectsAtEtcd, objects)
	env.Record(seatsAtEtcd, seats)
}

var (
	executedAtOnce = sim.NewCoveragePoint("flow control: request executed at once")
	executedLater  = sim.NewCoveragePoint("flow control: request executed after a wait")
	seatsWhileSent = sim.NewCoveragePoint("flow control: seats taken while an answer is sent")
	requestQueued  = sim.NewCoveragePoint("flow control: request waits for seats")
	tooFewSeats    = sim.NewCoveragePoint("flow control: some seats are free, too few for the next request")
	queueFull      = sim.NewCoveragePoint("flow control: request refused, its queue is full")
	waitedTooLong  = sim.NewCoveragePoint("flow control: request refused, it has waited too long")
	leftQueue      = sim.NewCoveragePoint("flow control: watch ended while it waited for seats")
	costsMore      = sim.NewCoveragePoint("flow control: list put to etcd costs more than was estimated")
	tooCostly      = sim.NewCoveragePoint("flow control: list refused, too few seats for what it costs at etcd")
)
