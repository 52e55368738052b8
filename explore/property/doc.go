// Package property checks subjects of explore inside Go tests: MustHold runs
// seeds, Check lets rapid draw and shrink schedules, Replay repeats a schedule that
// Check has printed, MustHoldReplay follows the schedule of a replay file.
//
// It is for tests only and a package of its own, so that no command carries
// testing and rapid.
package property
