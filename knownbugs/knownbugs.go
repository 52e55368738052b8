// Package knownbugs says of each bug that caches had where it shows. A program that
// imports it, for its side effects alone, knows them all.
//
// The package must never import report or a command.
package knownbugs

import (
	_ "github.com/watchbed/watchbed/knownbugs/ingestion"
	_ "github.com/watchbed/watchbed/knownbugs/read"
	_ "github.com/watchbed/watchbed/knownbugs/watch"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

func init() {
	for _, b := range []*testbed.KnownBug{
		{Name: "watcher-missing-prevkv", Scenario: scenarios.ConsistentList, Property: caches.MatchEtcd,
			Why: "the cache keeps an object that is deleted, at any read and with none"},
		{Name: "progress-of-another-stream", Scenario: scenarios.SeveralCaches, Property: caches.MatchEtcd,
			Why: "the cache says it is at a version whose events are under way on its own stream"},
	} {
		testbed.RegisterKnownBug(b)
	}
}
