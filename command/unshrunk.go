package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/report"
)

// unshrunk keeps the first run of each way to fail on disk from when it is found. Whatever
// ends the process after that, the run is there. It stays, since a line names it.
type unshrunk struct {
	dir string
	// kept, if not nil, is called with each run after it is written.
	kept       func(*foundRun)
	runs, lost []*foundRun
}

// foundRun is the first run of a way to fail, as it was found.
type foundRun struct {
	campaign.FailureTally
	finder    *diagnosis.Finder
	recording *recording.Recording
	// path is empty if the run could not be written: err says why.
	path string
	err  error
	// took is how long it took to record it.
	took time.Duration
}

// unshrunkDir is within the directory of replay files.
const unshrunkDir = "unshrunk"

// newUnshrunk begins without what a process has left that was killed while it kept a run.
func newUnshrunk(out string) *unshrunk {
	dir := filepath.Join(out, unshrunkDir)
	recording.Sweep(dir)
	return &unshrunk{dir: dir}
}

// keep writes the first run that fails in this way. Whether it is lost if that cannot be
// done shows later: there may be room for the smaller run.
func (a *unshrunk) keep(finder *diagnosis.Finder, tally campaign.FailureTally) {
	begin := time.Now()
	found := &foundRun{FailureTally: tally, finder: finder}
	if found.recording, found.err = finder.Unshrunk(tally); found.err != nil {
		a.lost = append(a.lost, found)
		return
	}
	found.took = time.Since(begin)
	if a.kept != nil {
		defer func() { a.kept(found) }()
	}
	if found.path, found.err = found.recording.Create(a.dir); found.err != nil {
		found.path = ""
		a.lost = append(a.lost, found)
		recording.Sweep(a.dir)
		return
	}
	a.runs = append(a.runs, found)
}

// link gives the runs that nothing took the place of to failures that have no other run.
// Of several draws that fail in the same way one may have a smaller run.
func (a *unshrunk) link(found *summary.Summary) {
	for _, r := range a.runs {
		if !slices.ContainsFunc(found.Failures, func(f summary.Failure) bool {
			return f.Property == r.Failure.Property && f.Label == r.Failure.Label && f.Replay != ""
		}) {
			found.Link(r.Failure, "", nil, 0, r.path)
		}
	}
}

// lines name the runs that nothing took the place of.
func (a *unshrunk) lines(program string) []string {
	var lines []string
	for _, r := range a.runs {
		lines = append(lines, fmt.Sprintf("%s: unshrunk, %s", r.Failure, recording.Again(program, r.path)))
	}
	return lines
}

// toTell is how long what was found is still made smaller after an interrupt.
const toTell = 10 * time.Second

// WithTimeToTell is done some time after ctx: an interrupt ends the search at once, and
// not the report of what it found.
func WithTimeToTell(ctx context.Context) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(toTell, cancel) })
	return later, func() { stop(); cancel() }
}

// slowToRecord is how long it takes to make a world and to record one run in it from where on the story of the small
// run is some time away: that takes hundreds of runs, behind all schedules of the campaign.
const slowToRecord = 50 * time.Millisecond

// firstStory says at once that a run fails, before the schedules behind it and before it is made smaller. On a
// terminal, where the line of the progress says so, it shows the story of the first one as it was found if schedules
// are slow. Elsewhere it is a line, since what is printed there does not depend on a clock, and the story if compiled
// code takes part: that of a small run is minutes away.
type firstStory struct {
	process  process
	progress *progress
	// then is what happens when the schedules are done.
	then string
	told bool
}

func (f *firstStory) tell(found *foundRun) {
	switch {
	case f.told:
	case !f.progress.live:
		f.told = true
		f.line(found)
		if found.finder.Params.Compiled() {
			f.story(found)
		}
	case found.took >= slowToRecord:
		f.told = true
		f.story(found)
	}
}

func (f *firstStory) line(found *foundRun) {
	replay := ""
	if found.path != "" {
		replay = ". Unshrunk replay: " + recording.Again(f.process.program, found.path)
	}
	f.process.complain("%s is violated at seed %d; continuing%s%s", found.Failure, found.recording.Seed, f.then, replay)
}

func (f *firstStory) story(found *foundRun) {
	d, err := diagnosis.Told(found.finder.Scenario, found.recording, found.Failure)
	if err != nil {
		// The diagnosis at the end meets the same error, and ends with it.
		return
	}
	f.progress.end()
	fmt.Fprintf(f.process.err, "Unshrunk, seed %d; continuing%s.\n\n", found.recording.Seed, f.then)
	// Standard error that cannot be written has no place for its error.
	_ = report.WriteStory(f.process.err, f.process.terminalOf(f.process.errFile), d)
	fmt.Fprintln(f.process.err)
}
