package caches

import (
	"fmt"
	"strings"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/testbed"
)

// StartsAsChecked holds what an API server does before it serves against its version
// check and the versions of etcd's members: whether it starts, and whether it relies on
// etcd's progress notifications (KEP-2340, Beta and GA; storage/feature,
// FeatureSupportChecker). What depends on faults is not judged, but for the pauses before an endpoint is asked again
// that gave no version. It is exercised by each
// cache once in a run. What a cache asks that is no member is known where coverage points are counted,
// which a search does not do.
var StartsAsChecked = testbed.RegisterProperty(&testbed.Property{
	Name: "starts-as-checked", Kind: testbed.Safety,
	Promise:  "An API server starts, and relies on progress notifications, if and only if its version check and its gates say so; a version that cannot be read is too old, or before the start none. It asks an endpoint of etcd that gave no version again after 10 ms, and after twice as long each further time, up to 15 s.",
	Violated: "started against its check",
	Labels:   map[string]string{"started": "started against its check", "trusts": "trusts etcd against its check", "aborted": "did not start without need", "waits": "never starts", "unready": "started and never ready", "asks": "asked what is no member", "distrusts": "distrusts etcd without need", "again": "asks again at a wrong time"},
	Monitor:  testbed.Monitor{Runs: testbed.Untimed},
	New:      testbed.EachCache(startsAsChecked),
})

// started has the rules for the API server of a cache.
type started struct {
	server *testbed.Server
	rules  startRules
}

func (at *started) of(s *testbed.System, c *testbed.Cache) *startRules {
	if now := c.Server(); at.server != now {
		*at = started{now, startRulesOf(s, now)}
	}
	return &at.rules
}

// checked is a cache that checks the version of etcd.
type checked interface {
	cache.Starter
	cache.Trusting
	cache.Readiness
}

// askingAgain says how long it waits before it asks etcd for a version again.
type askingAgain interface{ VersionPauses() []guard.Pause }

// pauseAfter is the pause of the check that was shipped after so many questions without a version.
func pauseAfter(failures int) time.Duration {
	pause := 10 * time.Millisecond
	for range failures - 1 {
		pause = min(2*pause, 15*time.Second)
	}
	return pause
}

// startsAsChecked judges what must not be at any time.
func startsAsChecked(s *testbed.System, w *sim.World, c *testbed.Cache, at *started, all *testbed.Tally) {
	of, ok := c.Node.(checked)
	if !ok {
		return
	}
	rules := at.of(s, c)
	if again, ok := c.Node.(askingAgain); ok {
		for i, p := range again.VersionPauses() {
			if want := pauseAfter(p.Failures); p.Failures > 0 && p.Duration != want {
				rules.violate(all, c, "again", fmt.Sprintf("asks endpoint %d again after %v, which gave no version %d times, and not after %v", i, p.Duration, p.Failures, want))
			}
		}
	}
	if rules.allAnswer && w.Count(guard.EndpointUnknown) > 0 {
		rules.violate(all, c, "asks", "got no version from an endpoint, and each member gives its own")
	}
	switch {
	case of.Aborted() != "" && !rules.mayAbort:
		rules.violate(all, c, "aborted", "does not start ("+of.Aborted()+")")
	case of.Ready() && rules.mustAbort:
		rules.violate(all, c, "started", "serves")
	case of.TrustsProgress() && !rules.mayTrust:
		rules.violate(all, c, "trusts", "relies on etcd's progress notifications")
	}
}

// Conclude judges what must not be when nothing more can happen.
func (at *started) Conclude(s *testbed.System, w *sim.World, cache int, all *testbed.Tally) {
	c := s.Caches()[cache]
	of, ok := c.Node.(checked)
	if !ok {
		return
	}
	all.Exercised++
	if !s.IsOver(w) {
		return
	}
	rules := at.of(s, c)
	if again, ok := c.Node.(askingAgain); ok {
		for i, p := range again.VersionPauses() {
			if p.Failures > 0 {
				rules.violate(all, c, "again", fmt.Sprintf("asks endpoint %d no more, which gave no version %d times", i, p.Failures))
			}
		}
	}
	switch {
	case of.Starting():
		rules.violate(all, c, "waits", "waits for the version of etcd although nothing more can happen")
	case of.Aborted() == "" && rules.mustAbort:
		rules.violate(all, c, "started", "has started")
	case of.Aborted() == "" && !of.Ready():
		rules.violate(all, c, "unready", "has started and is not ready")
	case of.Aborted() == "" && of.TrustsProgress() && rules.mustDistrust:
		rules.violate(all, c, "trusts", "relies on etcd's progress notifications, and each member has said what it is")
	case of.Aborted() == "" && !of.TrustsProgress() && rules.mustTrust:
		rules.violate(all, c, "distrusts", "does not rely on etcd's progress notifications")
	}
}

// violate notes that an API server does what its version check does not allow.
func (r *startRules) violate(all *testbed.Tally, c *testbed.Cache, label, does string) {
	all.Violatef(label, testbed.Concern{Node: c.Name}, "%s %s; %s", c.Name, does, r.why)
}

// startRules is what follows from the version check, the gates and the members of etcd.
type startRules struct {
	mayAbort, mustAbort, mayTrust, mustTrust bool
	// mustDistrust is so once each member has answered.
	mustDistrust bool
	// allAnswer: no question for a version stays without one.
	allAnswer bool
	// why is what they follow from.
	why string
}

func startRulesOf(s *testbed.System, of *testbed.Server) startRules {
	o := of.Cache.Guard
	m := membersOf(s, o.VersionCheck)
	off, locked := o.ConsistentListFromCache == guard.GateDisabled, o.VersionCheck == guard.VersionCheckKEPGA
	r := startRules{mayTrust: !off, mustTrust: !off, allAnswer: m.allAnswer, why: fmt.Sprintf("its check is %s, its gate %s, and etcd's members are %s",
		of.Value("version-check"), of.Value("consistent-list-from-cache"), strings.Join(m.names, " and "))}
	switch o.VersionCheck {
	case guard.VersionCheckNone:
	case guard.VersionCheckShipped, guard.VersionCheckPeriodic, guard.VersionCheckEachStream:
		r.mayTrust = !off && m.anyNew
		r.mustTrust = !off && !m.mayBeOld
		r.mustDistrust = m.isOld && o.VersionCheck != guard.VersionCheckEachStream
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
	// isOld: the check must hear from a member that is too old. mayBeOld: it may. anyNew: a member
	// is new enough.
	isOld, mayBeOld, anyNew bool
	// allAnswer: each gives its version in time.
	allAnswer bool
}

// slowStatus is more than a question for the version may take if it is to be answered
// for certain: the KEP's check waits for two seconds.
const slowStatus = time.Second

func membersOf(s *testbed.System, check guard.VersionCheck) members {
	p := s.Params()
	// Another member, or a cluster that is down, may answer in place of the first serving
	// member.
	f := &p.Faults
	steady := f.Failovers+f.EtcdRestarts+f.LeaderChanges+f.LeaderLosses+f.Timeouts+f.Overloads+f.CallBreaks+f.Partitions+f.ServerPartitions == 0 && f.Downgrade == "" &&
		(p.Clock.Mode == sim.Untimed || 2*graceOf(s)[sim.Safety] < slowStatus)
	m := members{allAnswer: steady}
	beforeStart := check == guard.VersionCheckKEPBeta || check == guard.VersionCheckKEPGA
	add := func(version string, silent bool) {
		v, err := release.Parse(version)
		old := !PassesCheck(check, v)
		if err != nil {
			old, silent = !beforeStart, silent || beforeStart
		}
		m.names = append(m.names, version)
		m.isOld = m.isOld || old && !silent && steady
		m.mayBeOld = m.mayBeOld || old
		m.anyNew = m.anyNew || !old
		m.allAnswer = m.allAnswer && !silent
	}
	add(p.Etcd, false)
	for _, other := range s.Topology().OtherMembers() {
		version := other.Version
		if other.Unreadable {
			version += "?"
		}
		add(version, other.Silent)
	}
	if p.Faults.Downgrade != "" {
		add(p.Faults.Downgrade, true)
	}
	return m
}
