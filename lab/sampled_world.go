package main

import (
	"fmt"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// world is a scenario within bounds that a search can look at as a whole.
type world struct {
	// remark says what is in it.
	remark   string
	scenario *testbed.Scenario
	// set are options of the scenario, NAME=VALUE.
	set     string
	firings int
	// most is how many schedules each strategy is given when the table is written.
	most int
	// mostClasses is of how many of them classes are counted, 0 where they are not counted.
	mostClasses int
}

const oneWriteOneList = " writers=1 writes=1 readers=1 reads=1"

var worlds = []world{
	{"One write and one consistent LIST", scenarios.Issue15220, "etcd=3.6.16" + oneWriteOneList, 1, 1_000_000, 100_000},
	{"The same, and each timer fires once more", scenarios.Issue15220, "etcd=3.6.16" + oneWriteOneList, 2, 1_000_000, 0},
	{"The first one with etcd #15220, so that LISTs may be stale", scenarios.Issue15220, "etcd=3.5.7" + oneWriteOneList, 1, 1_000_000, 100_000},
	{"Two watches on one stream of etcd, and one write", scenarios.SecondWatch, "etcd=3.6.16 writes=1", 1, 1_000_000, 100_000},
}

func (w *world) name() string {
	return fmt.Sprintf("%s %s firings=%d", w.scenario.Name, w.set, w.firings)
}

// size is a number of writes, of consistent LISTs and of firings of each timer.
type size struct{ writes, lists, firings int }

// sizes are one thing more of a kind each. The first of those with equal writes and LISTs has the fewest firings.
var sizes = []size{{1, 1, 0}, {1, 1, 1}, {1, 1, 2}, {1, 2, 0}, {1, 2, 1}, {2, 1, 0}, {2, 1, 1}, {2, 2, 0}}

func (s size) world() *world {
	return &world{
		scenario: scenarios.Issue15220, firings: s.firings,
		set: fmt.Sprintf("etcd=3.6.16 writers=1 writes=%d readers=1 reads=%d", s.writes, s.lists),
	}
}

// seen is what the first schedules of a strategy have come to, from seed 0 on.
type seen struct {
	Schedules, States, Histories int
	// Classes is of how many classes the schedules are; 0 if they are not counted.
	Classes int `json:",omitempty"`
}

// figures are those of a world.
type figures struct {
	// States are all that there are, Histories all with which schedules end.
	States, Histories int
	// Classes are all that schedules are of; 0 if they are not counted.
	Classes int `json:",omitempty"`
	// Strategies has the samples of each strategy, each 10 times the one before.
	Strategies map[string][]seen
}

// sized is what a size has come to.
type sized struct {
	// States are those with whole histories in them.
	States, Histories int
	// New are histories that the size with one firing fewer does not have; all, if there is none.
	New int
}
