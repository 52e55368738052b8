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

// Free returns a place that is free: the first one of a list, or one more. Numbers are small: they number the world's tasks
// and timers too.
func Free[T any](list *[]*T, free func(*T) bool, place func(n int) *T) *T {
	for _, x := range *list {
		if free(x) {
			return x
		}
	}
	return Next(list, place)
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
