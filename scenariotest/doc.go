// Package scenariotest checks scenarios inside Go tests. MustHold runs seeds of a
// scenario with your parameters, and fails the test with what `simrun run` prints: the
// story of each way to fail, what decides, and a replay file.
//
// Package explore/property does the same for any subject of explore, without stories:
// those need the scenario.
//
// It is for tests only. No command must ever import it, since it brings the flags of
// go test.
package scenariotest
