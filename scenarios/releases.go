package scenarios

import (
	"slices"

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
	if value, ok := p.Override(bug.Option); ok {
		return value == bug.Value
	}
	for _, b := range etcd.Bugs() {
		if b.Option == bug.Option && !b.FixedIn().Includes(release.Must(p.Etcd)) {
			return b.Name == name
		}
	}
	return false
}

// clientRepeats reports whether the client library resumes a watch one revision
// early after progress, so that its last event comes twice
// (etcd-io/etcd#15248).
func clientRepeats(p *testbed.Params) bool {
	if value, ok := p.Override("resume-revision"); ok {
		return value == "at-header"
	}
	return !clientResumesBehind.Includes(release.Must(p.ClientVersion()))
}

var clientResumesBehind = release.SinceAll("3.4.24", "3.5.8")

// optionOf is the value of an option of the nodes, empty if the parameters do not
// fit together.
func optionOf(p *testbed.Params, name string) string {
	n, err := p.Nodes()
	if err != nil {
		return ""
	}
	return n.Value(name)
}

// notifies reports whether the scenario has etcd tell of its progress by itself.
func notifies(p *testbed.Params) bool {
	n, err := p.Nodes()
	return err == nil && n.Etcd.Watch.ProgressNotifyInterval > 0
}
