package store

import "strings"

// PreparePrefix gives a prefix its final "/": without it "/registry/pods/a"
// would let the siblings "/registry/pods/ab" in (kubernetes/kubernetes#125584).
func PreparePrefix(prefix string) string {
	if strings.HasSuffix(prefix, "/") {
		return prefix
	}
	return prefix + "/"
}
