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
	seen := map[string]bool{}
	for _, r := range c.Runs {
		if r == nil || r.Scenario == "" || seen[r.Scenario] {
			return errors.New("a scenario has no name, or is there twice")
		}
		seen[r.Scenario] = true
		if err := r.check(); err != nil {
			return fmt.Errorf("scenario %q: %w", r.Scenario, err)
		}
	}
	return nil
}

func (r *Run) check() error {
	seen := map[string]bool{}
	for _, claim := range r.Claims {
		if claim == nil || claim.Property == "" || seen[claim.Property] {
			return errors.New("a property has no name, or is there twice")
		}
		seen[claim.Property] = true
		switch claim.Verdict {
		case model.Holds.String(), model.Violated.String(), model.Undecided.String(), model.Vacuous.String():
		default:
			return fmt.Errorf("%s: unknown verdict %q", claim.Property, claim.Verdict)
		}
		if claim.Schedules > maxSchedules {
			return fmt.Errorf("%s: %d schedules are more than any campaign has", claim.Property, claim.Schedules)
		}
		if claim.Violations > claim.Schedules {
			return fmt.Errorf("%s: violated in more schedules than there were", claim.Property)
		}
		for _, w := range claim.Ways {
			if w.Schedules > claim.Schedules {
				return fmt.Errorf("%s: violated in more schedules than there were", claim.Property)
			}
			if w.Stories > w.Schedules || slices.ContainsFunc(w.Happenings, func(h Happening) bool { return h.Stories > w.Stories }) {
				return fmt.Errorf("%s: more stories than there were schedules, or something in more than were told", claim.Property)
			}
		}
	}
	return nil
}
