package arena

// Next makes a list of places one longer: by the place that an earlier run had there, or a new one of that number.
func Next[T any](list *[]*T, place func(n int) *T) *T {
	n := len(*list)
	if n < cap(*list) {
		*list = (*list)[:n+1]
	} else {
		*list = append(*list, nil)
	}
	if (*list)[n] == nil {
		(*list)[n] = place(n)
	}
	return (*list)[n]
}

// Count is how many of a list are so.
func Count[T any](list []*T, so func(*T) bool) (n int) {
	for _, x := range list {
		if so(x) {
			n++
		}
	}
	return n
}
