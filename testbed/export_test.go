package testbed

// FollowAll shows all steps to all observers.
func (s *System) FollowAll() {
	for n := range s.followers {
		s.followers[n] = s.stepObservers
	}
}
