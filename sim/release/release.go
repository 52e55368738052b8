// Package release (unstable) is for versions of programs: "3.5.7",
// "v3.6.0-rc.1". etcd's server, its client library, Kubernetes and the checks
// between them all compare versions; they do it here.
//
// The package must never import anything of this module.
package release

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is one release. The zero value is no version.
type Version struct {
	Major, Minor, Patch int
	// Pre: it is a pre-release of that number, such as a release candidate.
	Pre bool
}

// Parse reads a version with three numbers, with or without a leading "v". What
// follows a "+" is build metadata and ignored, as semantic versioning has it.
func Parse(text string) (Version, error) {
	rest, _, _ := strings.Cut(strings.TrimPrefix(text, "v"), "+")
	rest, pre, isPre := strings.Cut(rest, "-")
	parts := strings.Split(rest, ".")
	if len(parts) != 3 || isPre && pre == "" {
		return Version{}, fmt.Errorf("%q is not a version such as 3.5.13", text)
	}
	var n [3]int
	for i, part := range parts {
		u, err := strconv.ParseUint(part, 10, 16)
		if err != nil {
			return Version{}, fmt.Errorf("%q is not a version such as 3.5.13", text)
		}
		n[i] = int(u)
	}
	return Version{Major: n[0], Minor: n[1], Patch: n[2], Pre: isPre}, nil
}

// Must is Parse for versions in the source code; it panics on a mistake.
func Must(text string) Version {
	v, err := Parse(text)
	if err != nil {
		panic("release: " + err.Error())
	}
	return v
}

// String is the version without a leading "v".
func (v Version) String() string {
	s := v.Branch() + "." + strconv.Itoa(v.Patch)
	if v.Pre {
		s += "-pre"
	}
	return s
}

// Branch is the minor version, "3.5".
func (v Version) Branch() string { return strconv.Itoa(v.Major) + "." + strconv.Itoa(v.Minor) }

// Before reports whether v is older than other. A pre-release is older than the
// release of its number.
func (v Version) Before(other Version) bool {
	switch {
	case v.Major != other.Major:
		return v.Major < other.Major
	case v.Minor != other.Minor:
		return v.Minor < other.Minor
	case v.Patch != other.Patch:
		return v.Patch < other.Patch
	}
	return v.Pre && !other.Pre
}

// SameBranch reports whether both are patch releases of one minor version.
func (v Version) SameBranch(other Version) bool {
	return v.Major == other.Major && v.Minor == other.Minor
}

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
