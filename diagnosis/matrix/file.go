package matrix

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/watchbed/watchbed/model"
)

const (
	formatVersion = 1
	// maxBytes is far more than a catalogue takes.
	maxBytes = 64 << 20
	// maxSchedules is more than any campaign has, and few enough to compute chances with.
	maxSchedules = 1e8
)

// Read reads a catalogue that WriteJSON of package report has written. The error is one
// line.
func Read(r io.Reader) (*Catalogue, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(b) > maxBytes:
		return nil, fmt.Errorf("it is larger than %d MB", maxBytes>>20)
	}
	var c Catalogue
	if err := json.Unmarshal(b, &c); err != nil {
		return nil, fmt.Errorf("it is not a saved catalogue: %w", err)
	}
	return &c, c.check()
}

func (c *Catalogue) check() error {
	switch {
	case c.Format < 1:
		return errors.New("it is not a saved catalogue: the field format is missing")
	case c.Format > formatVersion:
		return fmt.Errorf("format %d was written by a later version; this one reads up to %d", c.Format, formatVersion)
	case len(c.Runs) == 0:
		return errors.New("it has no scenarios")
	}
	for i, r := range c.Runs {
		if r == nil || r.Scenario == "" || c.run(r.Scenario) != c.Runs[i] {
			return errors.New("a scenario has no name, or is there twice")
		}
		for j, claim := range r.Claims {
			if claim == nil || claim.Property == "" || r.claim(claim.Property) != r.Claims[j] {
				return fmt.Errorf("scenario %q: a property has no name, or is there twice", r.Scenario)
			}
			if err := claim.check(); err != nil {
				return fmt.Errorf("scenario %q: %s: %w", r.Scenario, claim.Property, err)
			}
		}
	}
	return nil
}

func (c *Claim) check() error {
	verdicts := []string{model.Holds.String(), model.Violated.String(), model.VerdictUnknown.String(), model.Vacuous.String()}
	switch {
	case !slices.Contains(verdicts, c.Verdict):
		return fmt.Errorf("unknown verdict %q", c.Verdict)
	case c.Schedules > maxSchedules:
		return fmt.Errorf("%d schedules are more than any campaign has", c.Schedules)
	case c.Violations > c.Schedules || slices.ContainsFunc(c.Ways, func(w Way) bool { return w.Schedules > c.Schedules }):
		return errors.New("violated in more schedules than there were")
	}
	for _, w := range c.Ways {
		if w.Stories > w.Schedules || slices.ContainsFunc(w.Happenings, func(h Happening) bool { return h.Stories > w.Stories }) {
			return errors.New("more stories than there were schedules, or something in more than were told")
		}
	}
	return nil
}
