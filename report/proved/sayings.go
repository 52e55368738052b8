package proved

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/report"
)

// sayings are the sentences about a search, which a terminal and a page show alike.
type sayings struct {
	Subject string
	// Word is the verdict, Meaning what it says of this search.
	Word, Meaning string
	// Workload are the options of the workload, Bounds what else bounds the search.
	Workload string
	Bounds   []string
	Claims   []claim
	// NotJudged names the claims that a search does not judge; it is empty if there are none.
	NotJudged string
	Covered   []string
}

// claim is a property, and how many steps or schedules put it to the test.
type claim struct{ Property, Checked string }

func sayingsOf(r *proof.Proof) *sayings {
	s := &sayings{
		Subject:  fmt.Sprintf("%s on %s", r.Scenario, report.Subject(r.Etcd, r.Client, r.Cache, r.Bugs)),
		Workload: strings.Join(r.Bounds.Workload, " "),
	}
	s.Word, s.Meaning = verdict(r)
	s.Bounds = bounds(r)
	by := "step"
	if r.Schedules != nil {
		by = "schedule"
	}
	for _, name := range r.Claims {
		s.Claims = append(s.Claims, claim{name, report.Counted(uint64(r.Checked[name]), by)})
	}
	if len(r.NotJudged) > 0 && !r.Partial {
		s.NotJudged = fmt.Sprintf("Not judged by a search: %s.", strings.Join(r.NotJudged, ", "))
	}
	if r.Schedules != nil {
		s.Covered = []string{schedules(r)}
	} else {
		s.Covered = states(r)
	}
	if n := len(r.Situations); n > 0 {
		s.Covered = append(s.Covered, fmt.Sprintf("%s came about; --json names them.", report.Counted(uint64(n), "situation")))
	}
	return s
}

func verdict(r *proof.Proof) (word, meaning string) {
	switch prove.Verdict(r.Verdict) {
	case prove.Proved:
		return "proved within bounds", "no schedule violates what is claimed"
	case prove.Violated:
		return "violated", shown(r)
	case prove.Vacuous:
		return "vacuous", "a claim was never put to the test within the bounds"
	}
	if r.Partial {
		word, meaning, _ = strings.Cut(r.Why, ": ")
		return word, meaning
	}
	return "undecided", r.Why
}

// shown says of the schedule of the first failure what it is.
func shown(r *proof.Proof) string {
	f := &r.Failures[0]
	steps := report.Counted(uint64(f.Steps), "step")
	if f.First > 1 {
		steps += fmt.Sprintf(", %d to %d of its run", f.First, f.First+f.Steps-1)
	}
	if f.ToRest {
		steps += "; the run goes on when its clients have done all that they were to do (to-rest=true)"
	}
	switch {
	case r.Schedules != nil:
		return "this is the first schedule found that shows it, of " + steps
	case f.Loop == 0:
		return "this is a shortest schedule, of " + steps
	}
	return fmt.Sprintf("after %s the last %s can be repeated for ever", report.Counted(uint64(f.Steps-f.Loop), "step"), report.Counted(uint64(f.Loop), "step"))
}

func bounds(r *proof.Proof) (said []string) {
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	switch c := r.Bounds.Clock; {
	case c != nil:
		said = clock(r, c)
	case r.Bounds.Firings == 0:
		say("No timer of etcd, of client libraries, caches and informers fires.")
	default:
		say("Each timer of etcd, of client libraries, caches and informers fires at most %s, at any point (there is no clock).", times(r.Bounds.Firings))
	}
	if r.Bounds.RestFree {
		say("But when all messages have arrived and all loops wait, timers fire without end, except those that give something up.")
	}
	if r.Bounds.Depth > 0 {
		say("A schedule has at most %s.", report.Counted(uint64(r.Bounds.Depth), "step"))
	}
	if len(r.Bounds.Spread) > 0 {
		say("Not every delay was looked at. Of the answers to these questions %d were, the first, the last and those evenly between: %s.", r.Bounds.Answers, spread(r))
	}
	if r.Bounds.AtRest {
		say("It begins when the caches have listed and watch: other ways to get there are not looked at.")
	}
	if r.Bounds.Fixed > 0 {
		say("Before it begins, each of %s had its first answer.", report.Counted(uint64(r.Bounds.Fixed), "question"))
	}
	if set := append(append([]string(nil), r.Masked...), r.Settings...); len(set) > 0 {
		say("Set: %s.", strings.Join(set, ", "))
	}
	where := "state"
	if r.Schedules != nil {
		where = "schedule"
	}
	for _, c := range r.Cut {
		say("Cut: %s of %s would have fired once more in %s.", c.Timer, c.Node, report.Counted(uint64(c.Times), where))
	}
	return said
}

// clock says how time goes, and how long what is claimed may take.
func clock(r *proof.Proof, c *proof.Clock) (said []string) {
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	say("Virtual time: %s. What is due first happens first, and what is due at one moment in every order, from every start.", c.Horizon)
	const none = "0s"
	if c.Network == none && c.Scheduling == none {
		say("Messages and loops take no time.")
	} else {
		say("A message takes at most %s and a loop that has work waits at most %s; before the caches are ready, and while faults strike, ten times as long.", c.Network, c.Scheduling)
	}
	for _, name := range r.Claims {
		if b, ok := c.Within[name]; ok {
			say("%s: within %s (%s).", name, b.Total, b.Derivation)
		}
	}
	if r.CutStates > 0 {
		say("Cut: in %s the time was over, and a client was not done.", report.Counted(uint64(r.CutStates), "state"))
	}
	return said
}

// spread are the questions with more answers than were looked at.
func spread(r *proof.Proof) string {
	var list []string
	for _, s := range r.Bounds.Spread {
		list = append(list, fmt.Sprintf("%s (of %d)", s.Question, s.Answers))
	}
	return strings.Join(list, ", ")
}

// states says what a search of states covered, and how it goes on if it was ended.
func states(r *proof.Proof) (said []string) {
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	text := fmt.Sprintf("%s, %s, depth %d, in %.1f s (%.0f states a second, %.1f bytes a state). ",
		report.Counted(uint64(r.States), "state"), report.Counted(uint64(r.Transitions), "transition"), r.Depth,
		r.Seconds, float64(r.States)/max(r.Seconds, 1e-9), float64(r.Bytes)/float64(max(r.States, 1)))
	text += fmt.Sprintf("The clients were done in %s. ", report.Counted(uint64(r.Ended), "state"))
	if r.Rested > 0 {
		text += fmt.Sprintf("In %s nothing more could happen. ", report.Counted(uint64(r.Rested), "state"))
	}
	if r.CutStates > 0 && r.Bounds.Clock == nil {
		text += fmt.Sprintf("In %s the bounds left nothing that could happen. ", report.Counted(uint64(r.CutStates), "state"))
	}
	if r.Left > 0 {
		text += fmt.Sprintf("%s were found and not expanded. ", report.Counted(uint64(r.Left), "state"))
	}
	say("%sTwo states were taken for one with a probability of at most %.0e (keys of 64 bits).", text, r.Collision)
	if r.Filed > 0 {
		say("Memory did not hold %s: they were in files.", report.Counted(uint64(r.Filed), "state"))
	}
	if r.Resumed > 0 {
		say("%s of them had been found and kept before the search went on.", report.Counted(uint64(r.Resumed), "state"))
	}
	switch {
	case !r.GoesOn:
	case r.GoOn != "":
		say("The search is kept. It goes on, with a higher limit if one ended it, with: %s", r.GoOn)
	default:
		say("The search was not kept: it begins anew, unless --keep DIR keeps it.")
	}
	return said
}

func schedules(r *proof.Proof) string {
	c := r.Schedules
	text := fmt.Sprintf("%s, each of a class of its own", report.Counted(uint64(c.Complete), "complete schedule"))
	if c.Redundant > 0 {
		text = fmt.Sprintf("%s of %s: %d were redundant", report.Counted(uint64(c.Complete), "complete schedule"), report.Counted(uint64(c.Classes), "class"), c.Redundant)
	}
	if c.Abandoned > 0 {
		text += fmt.Sprintf(", and %d abandoned before their end", c.Abandoned)
	}
	return fmt.Sprintf("%s; %s in %.1f s (%.0f a second), the longest schedule has %d. "+
		"Two schedules are of one class if they differ in the order of steps that do not conflict.",
		text, report.Counted(uint64(r.Transitions), "step"), r.Seconds, float64(r.Transitions)/max(r.Seconds, 1e-9), r.Depth)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
