package clusterbed

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"

	"github.com/watchbed/watchbed/upstream/clusternode"
)

// alarms is what the auditor learns of alarms. Where one says that there is no space, it asks each member for what has
// to be refused and what must not be, and makes room as an operator does: it compacts, defragments and disarms.
type alarms struct {
	// lists are the answers, before and after, voters those that are asked. refused counts the writes that were
	// refused, written is where one was not.
	lists   []answer
	voters  []int
	refused int
	written []int
	// last is the newest revision that was seen.
	last int64
}

// Actions and kinds of alarms, as etcdserverpb has them.
const (
	deactivate byte = 2
	noSpace    byte = 1
	corrupt    byte = 2
)

// coverCorrupt is that the audit has found that a member is corrupt.
var coverCorrupt = sim.NewCoveragePoint("cluster: an alarm says that a member is corrupt")

// coverFull is that the audit has found such a cluster.
var coverFull = sim.NewCoveragePoint("cluster: an alarm says that there is no space, until there is room again")

// watchesAlarms reports whether the members can raise any.
func (c *Config) watchesAlarms() bool {
	m := &c.Member
	return m.QuotaBytes > 0 || m.CorruptCheckMs > 0 || m.CompactHashCheckMs > 0 || m.InitialCorruptCheck
}

// padding makes values large.
func (c *Config) padding() string { return strings.Repeat(".", c.ValueBytes) }

// large writes a large value.
func large(env *sim.Env, d *drawing, n int) workload.Step {
	return step(&wire.PutRequest{Key: d.key(env), Value: d.value(n) + d.config.padding()})
}

// relieve adds what is to be asked where alarms say that there is no space.
func (a *auditor) relieve() {
	var more []question
	each := func(about ...subjectMatter) {
		for _, to := range a.alarms.voters {
			for _, k := range about {
				more = append(more, question{about: k, to: to})
			}
		}
	}
	each(refusal, reads, deletion)
	more = append(more, question{about: compaction, to: a.alarms.voters[0]})
	each(defragmentation)
	// A member that refuses a write raises an alarm of its own.
	more = append(more, question{about: armed, to: a.alarms.voters[0]})
	a.questions = slices.Insert(a.questions, a.at, more...)
}

// disarm adds the end of each alarm.
func (a *auditor) disarm(listed []clusternode.Alarm) {
	for _, l := range listed {
		a.questions = slices.Insert(a.questions, a.at, question{about: disarming, to: a.alarms.voters[0], alarm: l})
	}
}

// lying is how many members have a disk of which a bit has changed.
func (s *subject) lying() (count int) {
	for _, m := range s.members {
		if m.Lies {
			count++
		}
	}
	return count
}

// alarmsMeanWhatTheySay judges alarms: none is there without a reason, a write that was refused for lack of space has
// raised one, and while that is there each member refuses writes, and neither reads nor deletions. That writes go on
// once there is room again is part of the audit.
func (s *subject) alarmsMeanWhatTheySay() explore.Finding {
	c := claims("alarms")
	a := &s.auditor.alarms
	if len(a.lists) == 0 {
		return c.Finding
	}
	c.exercise(len(a.lists) + a.refused)
	raised := false
	for _, l := range a.lists {
		for _, alarm := range l.Alarms {
			switch raised = true; {
			case alarm.Alarm == corrupt && s.lying() == 0:
				c.violate("corrupt", "%s lists that %x is corrupt, and no bit was changed", memberName(l.member), alarm.Member)
			case alarm.Alarm == noSpace && s.config.Member.QuotaBytes == 0:
				c.violate("space", "%s lists that %x has no space, and there is no quota", memberName(l.member), alarm.Member)
			}
		}
	}
	for _, m := range a.written {
		c.violate("written", "%s takes a write while an alarm says that there is no space", memberName(m))
	}
	for i, m := range s.members {
		// Where something has broken the alarm may have been lost on its way.
		if m.Full > 0 && !raised && s.operator.strikes == [families]bool{} {
			c.violate("unlisted", "%s has refused a write for lack of space, and no alarm is listed", memberName(i))
		}
	}
	return c.Finding
}
