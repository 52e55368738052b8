package etcd

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// Without WithRequireLeader every stream is like that.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "leaderless-kept",
	Summary:  "a watch stream that requires a leader stays open when etcd has none, and its client does not hear of that",
	Setting:  "leaderless-streams=kept",
	Scenario: scenarios.LongWithoutLeader, Property: etcdapi.NeedsLeader,
	Why: "the client asked to hear of it when there is no leader",
})
