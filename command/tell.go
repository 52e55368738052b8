package command

import (
	"context"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/testbed"
)

// diagnosed explains a failing run. That looks for a cause in hundreds of runs, which can take minutes over a program that
// is slow: an interrupt ends the waiting for it, with the error of the context.
func diagnosed(ctx context.Context, sc *testbed.Scenario, rec *recording.Recording, failure explore.Failure) (*diagnosis.Diagnosis, error) {
	var d *diagnosis.Diagnosis
	var err error
	told := make(chan struct{})
	go func() {
		defer close(told)
		d, err = diagnosis.Of(sc, rec, failure)
	}()
	select {
	case <-told:
		return d, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
