package recording

import (
	"fmt"

	"github.com/watchbed/watchbed/model"
)

// Limits on recordings. Those that simrun writes are far below them.
const (
	maxChoices    = 2_000_000
	maxParameters = 1000
	maxFindings   = 1000
	maxStory      = 10_000
	maxTextBytes  = 100_000
)

func (r *Recording) check() error {
	for _, f := range [...]struct {
		what, value string
	}{{"tool", r.Tool}, {"scenario", r.Scenario}, {"strategy", r.Strategy}} {
		if err := checkText(f.value); err != nil {
			return fmt.Errorf("%s: %w", f.what, err)
		}
	}
	for _, l := range [...]struct {
		what     string
		len, max int
	}{
		{"parameters", len(r.Parameters), maxParameters},
		{"findings", len(r.Findings), maxFindings},
		{"choices", len(r.Choices), maxChoices},
	} {
		if l.len > l.max {
			return fmt.Errorf("%d %s, and %d is the limit", l.len, l.what, l.max)
		}
	}
	for i, p := range r.Parameters {
		if err := checkText(p.Name); err != nil {
			return fmt.Errorf("parameter %d: name: %w", i+1, err)
		}
		if err := checkTextUpTo(p.Value, maxTextBytes); err != nil && p.Value != "" {
			return fmt.Errorf("parameter %s: %w", p.Name, err)
		}
	}
	for i := range r.Findings {
		if err := r.Findings[i].check(); err != nil {
			return fmt.Errorf("finding %d: %w", i+1, err)
		}
	}
	_, err := parseChoices(r.Choices)
	return err
}

func (f *Finding) check() error {
	if err := checkText(f.Property); err != nil {
		return fmt.Errorf("property: %w", err)
	}
	if err := checkText(f.Label); err != nil && f.Label != "" {
		return fmt.Errorf("label: %w", err)
	}
	if new(model.Verdict).UnmarshalText([]byte(f.Verdict)) != nil {
		return fmt.Errorf("there is no verdict %.40q", f.Verdict)
	}
	if len(f.Story) > maxStory {
		return fmt.Errorf("%d lines of story, and %d is the limit", len(f.Story), maxStory)
	}
	if len(f.Why) > maxTextBytes {
		return fmt.Errorf("why: longer than %d bytes", maxTextBytes)
	}
	for i, s := range f.Story {
		if len(s) > maxTextBytes {
			return fmt.Errorf("line %d of the story: longer than %d bytes", i+1, maxTextBytes)
		}
	}
	return nil
}
