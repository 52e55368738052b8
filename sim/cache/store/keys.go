package store

import "strings"

// RangeEnd is the end of the range of all keys that begin with a prefix.
func RangeEnd(prefix string) string {
	last := len(prefix) - 1
	return prefix[:last] + string(rune(prefix[last]+1))
}

// PreparePrefix gives a prefix its final "/": without it "/registry/pods/a"
// would let the siblings "/registry/pods/ab" in (kubernetes/kubernetes#125584).
func PreparePrefix(prefix string) string {
	if strings.HasSuffix(prefix, "/") {
		return prefix
	}
	return prefix + "/"
}
