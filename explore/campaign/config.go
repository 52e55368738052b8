package campaign

import (
	"errors"
	"runtime"
	"time"

	"github.com/watchbed/watchbed/explore/strategy"
)

// Config is which seeds a campaign runs, and how.
type Config struct {
	// Strategy is strategy.Default if it is the zero value.
	Strategy strategy.Strategy
	// Seeds is how many seeds to run, from FirstSeed on; 0 is no bound.
	FirstSeed, Seeds uint64
	// For is the wall-clock time after which no more runs begin; 0 is no bound.
	For time.Duration
	// Workers run at the same time; 0 is one for each processor. The result does
	// not depend on it.
	Workers int
	// Steps is the number of steps after which a run is cut off; 0 is
	// explore.DefaultSteps.
	Steps int
	// RecheckShare is the share of the seeds that run a second time, in a world
	// of their own, to see that they take the same course; 0 is
	// one in a hundred, a negative one rechecks nothing.
	RecheckShare float64
	// StopAfter ends the campaign soon after the first so many different
	// failures; 0 is never. Where it ends depends on the seeds only.
	StopAfter int
	// Failed, if not nil, is called with each way to fail when its first run is added,
	// in the order of the seeds.
	Failed func(FailureTally)
	// Found, if not nil, is called with the first run of each way to fail in a batch as soon as it has ended, for
	// what has to outlive this process: by several goroutines, in no order, and also with runs that are not added in
	// the end.
	Found func(FailureTally)
	// Progress, if not nil, is called some times a second with what was found so
	// far. It must not keep or change it.
	Progress func(*Result)
}

const defaultRecheckShare = 0.01

var errNoBound = errors.New("a campaign needs a number of seeds or a time")

// complete returns the configuration with defaults in place of zero values.
func (c Config) complete() (Config, error) {
	if c.Seeds == 0 && c.For == 0 {
		return c, errNoBound
	}
	if c.Strategy.New == nil {
		c.Strategy = strategy.Default()
	}
	if c.RecheckShare == 0 {
		c.RecheckShare = defaultRecheckShare
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Seeds > 0 && uint64(c.Workers) > c.Seeds {
		c.Workers = int(c.Seeds)
	}
	return c, nil
}
