package summary

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// LeaveOutLacking takes from a campaign the properties that no schedule checked, and that say nothing of any of its
// caches: their designs have nothing that these are about (cache.Design.Lacks), or nothing but the end of a run is
// judged, and none can come to rest (testbed.Params.ComesToRest). What was checked counts. The error names what a
// design lacks and no property is called.
func LeaveOutLacking(p *testbed.Params, c *campaign.Result) error {
	servers, err := p.Servers()
	if err != nil {
		return err
	}
	for i := range servers {
		for _, name := range servers[i].Design.Lacks {
			if _, err := testbed.FindProperty(name); err != nil {
				return fmt.Errorf("what the design %s lacks: %w", servers[i].Design.Name, err)
			}
		}
	}
	rests, err := p.ComesToRest()
	if err != nil {
		return err
	}
	c.Properties = slices.DeleteFunc(c.Properties, func(t campaign.PropertyTally) bool {
		if t.Verdict != model.Vacuous {
			return false
		}
		of, err := testbed.FindProperty(t.Name)
		return err == nil && of.Monitor.AtRest && !rests || len(servers) > 0 &&
			!slices.ContainsFunc(servers, func(s testbed.Server) bool { return !slices.Contains(s.Design.Lacks, t.Name) })
	})
	return nil
}
