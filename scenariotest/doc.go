// Package scenariotest checks scenarios inside Go tests. MustHold runs seeds of a
// scenario with your parameters, Check lets rapid draw its schedules. A test fails in at
// most 40 lines: the story, what decides, a replay file and the command that replays it.
//
// Package explore/property does the same for any subject of explore. Where this package is
// imported, its checks of scenarios tell stories as well; those of other subjects print
// choices.
//
// It is for tests only. No command must ever import it, since it brings the flags of
// go test.
package scenariotest
