package matrix

import (
	"github.com/watchbed/watchbed/model"
)

// Outcome is what one side came to beside what is known of it.
type Outcome struct {
	Of   *Catalogue `json:"-"`
	Name string     `json:"side"`
	// NewlyViolated are claims that are violated and not known to be, Missing those that
	// every campaign is known to violate and this one did not.
	NewlyViolated []Surprise `json:"newlyViolated"`
	Missing       []Surprise `json:"missing"`
	Unknown       []Unknown  `json:"unknown"`
	// Holds and Violated count the claims that are as known.
	Holds     int `json:"holds"`
	Violated  int `json:"violated"`
	Scenarios int `json:"scenarios"`
	// NotSeen are those among Holds that are known to be violated rarely.
	NotSeen     int  `json:"notSeen"`
	Interrupted bool `json:"interrupted,omitempty"`
}

// Surprise is a claim that is not as known.
type Surprise struct {
	Scenario string `json:"scenario"`
	Property string `json:"property"`
	Seen
}

// AsKnown holds a side to what is known of it.
func AsKnown(program string, c *Catalogue) *Outcome {
	o := &Outcome{Of: c, Name: c.Name, NewlyViolated: []Surprise{}, Missing: []Surprise{}, Unknown: []Unknown{}, Interrupted: c.Interrupted}
	for _, r := range c.Runs {
		switch {
		case r.CannotRun != "":
			o.Unknown = withUnknown(o.Unknown, r.Scenario, "", "not run: "+r.CannotRun)
			continue
		case r.Schedules == 0:
			o.Unknown = withUnknown(o.Unknown, r.Scenario, "", "no schedule was run")
			continue
		}
		o.Scenarios++
		for _, claim := range r.Claims {
			surprise := Surprise{r.Scenario, claim.Property, seen(program, c, r, claim)}
			switch {
			case claim.violated() && claim.Known:
				o.Violated++
			case claim.violated():
				o.NewlyViolated = append(o.NewlyViolated, surprise)
			case !claim.holds():
				o.Unknown = withUnknown(o.Unknown, r.Scenario, claim.Property, claim.Verdict)
			case claim.Known && !claim.Rarely:
				o.Missing = append(o.Missing, surprise)
			default:
				o.Holds++
				if claim.Known {
					o.NotSeen++
				}
			}
		}
	}
	return o
}

// Verdict says whether the side is as known: violated if something is violated that is not
// known to be, unknown if something is missing or unknown, as run --expect has it.
func (o *Outcome) Verdict() model.Verdict {
	switch {
	case len(o.NewlyViolated) > 0:
		return model.Violated
	case len(o.Missing)+len(o.Unknown) > 0 || o.Interrupted:
		return model.VerdictUnknown
	}
	return model.Holds
}
