package recorded

import (
	"context"
	"reflect"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

// Recording is a script and all that was seen of it.
type Recording struct {
	Script   Script     `json:"script"`
	Outcomes []*Outcome `json:"outcomes"`
}

// Outcome is one way in which servers answered.
type Outcome struct {
	// Times says how often, by version.
	Times map[string]int `json:"times"`
	// Responses are those of each step.
	Responses [][]Response `json:"responses"`
}

// Add notes that a version answered so a number of times.
func (r *Recording) Add(version string, responses [][]Response, times int) {
	o := r.Find(responses)
	if o == nil {
		o = &Outcome{Times: map[string]int{}, Responses: responses}
		r.Outcomes = append(r.Outcomes, o)
	}
	o.Times[version] += times
}

// Merge adds all that was seen in another recording of the same script.
func (r *Recording) Merge(other *Recording) {
	for _, o := range other.Outcomes {
		for version, times := range o.Times {
			r.Add(version, o.Responses, times)
		}
	}
}

// Find returns the outcome with these responses, nil if it was never seen.
func (r *Recording) Find(responses [][]Response) *Outcome {
	for _, o := range r.Outcomes {
		if reflect.DeepEqual(o.Responses, responses) {
			return o
		}
	}
	return nil
}

// Record plays the script to the server a number of times.
func (r *Recording) Record(ctx context.Context, server *realetcd.Server, times int) error {
	for range times {
		responses, err := Play(ctx, server, r.Script)
		if err != nil {
			return err
		}
		r.Add(server.Version, responses, 1)
	}
	return nil
}
