package caches

import (
	"fmt"
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/testbed"
)

// startRules is what follows from the version check, the gates and the members of etcd.
type startRules struct {
	mayAbort, mustAbort, mayTrust, mustTrust bool
	// allAnswer: no question for a version stays without one.
	allAnswer bool
	// why is what they follow from.
	why string
}

func startRulesOf(s *testbed.System, of *testbed.Server) startRules {
	o := of.Cache.Guard
	m := membersOf(s, guard.Checks.Of(o.VersionCheck)())
	off, locked := o.ConsistentListFromCache == guard.GateDisabled, o.VersionCheck == guard.VersionCheckKEPGA
	r := startRules{mayTrust: !off, mustTrust: !off, allAnswer: m.allAnswer, why: fmt.Sprintf("its check is %s, its gate %s, and etcd's members are %s",
		of.Value("version-check"), of.Value("consistent-list-from-cache"), strings.Join(m.names, " and "))}
	switch o.VersionCheck {
	case guard.VersionCheckNone:
	case guard.VersionCheckShipped, guard.VersionCheckPeriodic, guard.VersionCheckEachStream:
		r.mayTrust = !off && m.anyNew
		r.mustTrust = !off && !m.mayBeOld
	default:
		insists := locked || o.ConsistentListFromCache == guard.GateEnabled
		r.mustAbort = locked && off || insists && m.isOld
		r.mayAbort = r.mustAbort || insists && m.mayBeOld
		r.mayTrust = !off && !m.isOld
		r.mustTrust = !off && !m.mayBeOld
	}
	return r
}

// members is what the members of etcd come to.
type members struct {
	names []string
	// isOld: the check must hear from one that is too old. mayBeOld: it may. anyNew: one
	// is new enough.
	isOld, mayBeOld, anyNew bool
	// allAnswer: each gives its version in time.
	allAnswer bool
}

// slowStatus is more than a question for the version may take if it is to be answered
// for certain: the KEP's check waits for two seconds.
const slowStatus = time.Second

func membersOf(s *testbed.System, check guard.Check) members {
	p := s.Params()
	// Another member, or a cluster that is down, may answer in place of the one that
	// serves at first.
	f := &p.Faults
	steady := f.Failovers+f.EtcdRestarts+f.LeaderChanges+f.LeaderLosses+f.Timeouts+f.Overloads+f.CallBreaks+f.Partitions+f.ServerPartitions == 0 && f.Downgrade == "" &&
		(p.Clock.Mode == sim.Untimed || 2*graceOf(s)[sim.Safety] < slowStatus)
	m := members{allAnswer: steady}
	add := func(version string, silent bool) {
		v, err := release.Parse(version)
		old := err != nil || !check.Passes(v)
		m.names = append(m.names, version)
		m.isOld = m.isOld || old && !silent && steady
		m.mayBeOld = m.mayBeOld || old
		m.anyNew = m.anyNew || !old
		m.allAnswer = m.allAnswer && !silent
	}
	add(p.Etcd, false)
	for _, other := range s.Topology().OtherMembers() {
		add(other.Version, other.Silent)
	}
	if p.Faults.Downgrade != "" {
		add(p.Faults.Downgrade, true)
	}
	return m
}
