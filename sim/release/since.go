package release

import "strings"

// Since says from which releases on something holds: the first release of each
// branch that it was brought to, the oldest branch first. Branches after the
// last one have it from their start. nil is never.
type Since []Version

// SinceAll reads the releases of a Since; it panics on a mistake, since they are
// written in the source code.
func SinceAll(versions ...string) Since {
	s := make(Since, len(versions))
	for i, v := range versions {
		s[i] = Must(v)
	}
	return s
}

// Includes reports whether it holds in a release.
func (s Since) Includes(v Version) bool {
	for _, first := range s {
		if first.SameBranch(v) {
			return !v.Before(first)
		}
	}
	return len(s) > 0 && !v.Before(s[len(s)-1])
}

// String lists the releases: "3.4.25 and 3.5.8".
func (s Since) String() string {
	names := make([]string, len(s))
	for i, v := range s {
		names[i] = v.String()
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
