package guard

import "github.com/watchbed/watchbed/sim/release"

// fixed are the releases from which on progress can be trusted: on the 3.4
// branch, and on the 3.5 branch and everything after it.
type fixed struct{ in34, in35 release.Version }

// The KEP asks for the fix of etcd-io/etcd#15220 and nothing else. What was
// shipped asks for that of etcd-io/etcd#17507 as well
// (kubernetes/kubernetes#123192).
var (
	fixedOvertaking = fixed{in34: release.Must("3.4.25"), in35: release.Must("3.5.8")}
	fixedDeferring  = fixed{in34: release.Must("3.4.31"), in35: release.Must("3.5.13")}
	first35         = release.Must("3.5.0")
)

// includes compares as upstream does, so that 3.5.0-rc.1, which comes before
// 3.5.0 and after every 3.4, counts as fixed.
func (f *fixed) includes(v release.Version) bool {
	return !v.Before(f.in34) && (v.Before(first35) || !v.Before(f.in35))
}
