package etcd

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// syncVictimsLoop sleeps without its timer.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "victims-left",
	Summary:  "a watch whose channel was full when etcd tried again is sent nothing more until another one finds its channel full",
	Setting:  "victim-retry=next-victim",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.NothingLeft,
	Why:        "nothing more happens, and the watch still waits for its events",
	Further:    []*testbed.Property{watches.KeepUp, etcdapi.WatchAnswers},
	WhyFurther: "the watch lacks the newest change; a cancel of it is not answered",
})
