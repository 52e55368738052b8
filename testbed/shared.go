package testbed

// Observer is what the judges of several properties share. It may implement
// StepObserver and Preparer.
type Observer interface {
	// Reset begins a run.
	Reset()
}

// Shared returns the observer of this type that the properties of a system share.
// The first property that asks makes it.
func Shared[T Observer](s *System, make func(*System) T) T {
	for _, o := range s.observers {
		if shared, ok := o.(T); ok {
			return shared
		}
	}
	shared := make(s)
	s.observers = append(s.observers, shared)
	return shared
}

// judges makes the judges of all claims, and finds out which of them look at each
// step.
func (s *System) makeJudges() {
	for _, p := range s.claims {
		s.judges = append(s.judges, p.New(s))
	}
	for _, o := range s.observers {
		if x, ok := o.(StepObserver); ok {
			s.stepObservers = append(s.stepObservers, x)
		}
		if x, ok := o.(Preparer); ok {
			s.preparers = append(s.preparers, x)
		}
	}
	for _, j := range s.judges {
		if x, ok := j.(StepObserver); ok {
			s.stepObservers = append(s.stepObservers, x)
		}
	}
}
