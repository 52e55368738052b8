package diagnosis

import (
	"github.com/watchbed/watchbed/diagnosis/flip"
	"github.com/watchbed/watchbed/diagnosis/recorded"
	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/testbed"
)

// Diagnosis is a recorded run that fails in one way, explained.
type Diagnosis struct {
	Failure   explore.Failure
	Recording *recording.Recording
	Story     *story.Story
	// Decision is the single behaviour that decides, nil if there is none.
	Decision *flip.Decision
	// Also are other failures of the campaign that this run shows as well.
	Also []explore.Failure
}

// Of explains how a recorded run fails in the way f. The error is a
// *recording.Divergence or a *recording.TraceMismatch if it does not replay.
func Of(sc *testbed.Scenario, rec *recording.Recording, f explore.Failure) (*Diagnosis, error) {
	s, err := story.Tell(sc, rec, f)
	if err != nil {
		return nil, err
	}
	p, err := recorded.Params(sc, rec)
	if err != nil {
		return nil, err
	}
	return &Diagnosis{Failure: f, Recording: rec, Story: s, Decision: flip.Decide(sc, p, rec, f)}, nil
}

// Lines is the diagnosis as plain text, for files.
func (d *Diagnosis) Lines() []string { return append(d.Story.Strings(), d.Decision.String()) }
