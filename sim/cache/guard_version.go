package cache

import (
	"strconv"
	"strings"
)

// etcdVersion is what an endpoint says it runs: a semantic version.
type etcdVersion struct {
	number [3]int
	// pre: it is a pre-release, which comes before the release.
	pre bool
}

// parseVersion reads "3.5.13" or "3.6.0-rc.1"; it returns false for anything
// else.
func parseVersion(text string) (v etcdVersion, ok bool) {
	text, _, _ = strings.Cut(text, "+")
	text, pre, isPre := strings.Cut(text, "-")
	parts := strings.Split(text, ".")
	if len(parts) != len(v.number) || isPre && pre == "" {
		return v, false
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return v, false
		}
		v.number[i] = int(n)
	}
	v.pre = isPre
	return v, true
}

// before reports whether v is older than a release.
func (v etcdVersion) before(release [3]int) bool {
	for i, n := range v.number {
		if n != release[i] {
			return n < release[i]
		}
	}
	return v.pre
}

// fixedIn are the releases from which on progress can be trusted: on the 3.4
// branch, and on the 3.5 branch and everything after it.
type fixedIn struct{ in34, in35 [3]int }

// What the KEP asks for is the fix of etcd-io/etcd#15220 and nothing else. What
// was shipped asks for that of etcd-io/etcd#17507 as well
// (kubernetes/kubernetes#123192).
var (
	fixedOvertaking = fixedIn{in34: [3]int{3, 4, 25}, in35: [3]int{3, 5, 8}}
	fixedDeferring  = fixedIn{in34: [3]int{3, 4, 31}, in35: [3]int{3, 5, 13}}
)

func (f *fixedIn) includes(v etcdVersion) bool {
	return !v.before(f.in34) && (v.before([3]int{3, 5, 0}) || !v.before(f.in35))
}
