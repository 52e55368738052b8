package plant

import (
	"context"
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// Asked is a setting that was asked for, with what the parameters are if it is left out.
type Asked struct {
	option.Setting
	Without testbed.Params
}

// Already splits settings into those that the parameters have without them, with a line about each, and the others. Of what
// the line is called with: the scenario or the recording that is changed.
func Already(of string, p *testbed.Params, asked []Asked) (lines []string, others []Asked) {
	for _, a := range asked {
		if !alike(p, &a.Without) {
			others = append(others, a)
			continue
		}
		lines = append(lines, fmt.Sprintf("--set %s changes nothing: %s on etcd %s with the cache design %s has it already", a.Setting, of, p.EtcdName(), p.Cache))
	}
	return lines, others
}

// alike reports whether every option of every node has the same value. A setting holds for all members of etcd, also for one whose
// release has another value.
func alike(a, b *testbed.Params) bool {
	if !slices.Equal(a.Expand(), b.Expand()) {
		return false
	}
	for _, version := range a.MemberVersions() {
		x, y := *a, *b
		x.Etcd, y.Etcd = version, version
		if !slices.Equal(x.Expand(), y.Expand()) {
			return false
		}
	}
	return len(a.Topology.ServerSettings) == 0
}

// Idle has a line for each planted bug and each setting that makes no difference in a campaign. Most settings show in the first
// schedule, so that the search for a difference costs little. A setting that others need is left out. An interrupt ends it with what it knows.
func Idle(ctx context.Context, program string, sc *testbed.Scenario, p testbed.Params, asked []Asked, cfg campaign.Config, c *campaign.Result) ([]string, error) {
	lines, err := unseen(ctx, program, sc, p, cfg, c)
	if err != nil {
		return lines, err
	}
	for _, a := range asked {
		_, needed := sc.Subjects(a.Without)
		same := c.Schedules > 0 && !c.Interrupted && needed == nil
		for seeds := uint64(1); same; seeds = min(10*seeds, compared) {
			cfg.Seeds = min(seeds, c.Schedules)
			alike, interrupted, err := unchanged(ctx, sc, p, a.Without, cfg)
			if err != nil || interrupted {
				return lines, err
			}
			same = alike
			if cfg.Seeds == c.Schedules || seeds == compared {
				break
			}
		}
		if same {
			lines = append(lines, fmt.Sprintf("--set %s changes nothing here: without it the first %s the same to the bit", a.Setting, firstSchedules(cfg.Seeds)))
		}
	}
	return lines, nil
}

func firstSchedules(n uint64) string {
	if n == 1 {
		return "schedule is"
	}
	return fmt.Sprintf("%d schedules are", n)
}
