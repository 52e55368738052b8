package scenarios

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/testbed"
)

// hasBug reports whether the server has a bug, by its name in etcd.Bugs: by the
// release notes, unless the parameters say something else of that behaviour.
// Where a fix brought the next bug, as that of #15220 brought #17507, a release
// has the first one that is not fixed in it.
func hasBug(p *testbed.Params, name string) bool {
	i := slices.IndexFunc(etcd.Bugs(), func(b etcd.Bug) bool { return b.Name == name })
	bug := etcd.Bugs()[i]
	for _, set := range p.Bugs {
		if dim, value, err := testbed.ResolveBug(set); err == nil && dim == bug.Dimension {
			return value == bug.Value
		}
	}
	for _, set := range p.Settings {
		if dim, value, _ := strings.Cut(set, "="); dim == bug.Dimension {
			return value == bug.Value
		}
	}
	for _, race := range p.Masked() {
		if race.Option == bug.Dimension {
			return race.Value == bug.Value
		}
	}
	for _, b := range etcd.Bugs() {
		if b.Dimension == bug.Dimension && !b.FixedIn().Includes(release.Must(p.Etcd)) {
			return b.Name == name
		}
	}
	return false
}

// clientRepeats reports whether the client library resumes a watch one revision
// early after progress, so that its last event comes twice
// (etcd-io/etcd#15248).
func clientRepeats(p *testbed.Params) bool {
	for _, set := range p.Bugs {
		if dim, value, err := testbed.ResolveBug(set); err == nil && dim == "resume-revision" {
			return value == "at-header"
		}
	}
	return !clientResumesBehind.Includes(release.Must(p.ClientVersion()))
}

var clientResumesBehind = release.SinceAll("3.4.24", "3.5.8")
