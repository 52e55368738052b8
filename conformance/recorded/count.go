package recorded

// count is how many of so many runs violate the contract; it ends with the first
// error.
func count(runs int, run func() (violated bool, err error)) (violations int, err error) {
	for range runs {
		violated, err := run()
		if err != nil {
			return violations, err
		}
		if violated {
			violations++
		}
	}
	return violations, nil
}
