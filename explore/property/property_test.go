package property

import (
	"flag"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// account is a subject: two loops each read a balance in one step and write it
// back plus one in the next, under a lock that a loop now and then does not see.
// Further loops make noise.
type account struct {
	balance, writes int
	loops           [6]loop
	found           [2]explore.Finding
	// locked makes reading and writing one step.
	locked bool
	// idle claims a second property that nothing exercises.
	idle bool
}

type loop struct {
	sim.Idle
	account *account
	index   int
	noise   bool
	held    int
	reading bool
	left    int
}

func (l *loop) Start(env *sim.Env) { env.Enable(0) }

func (l *loop) Run(env *sim.Env, _ sim.Task) {
	l.left--
	if l.left > 0 {
		env.Enable(0)
	}
	if l.noise {
		env.Choose(3, "noise")
		return
	}
	if other := &l.account.loops[1-l.index]; !l.reading && other.reading && env.Choose(4, "sees the lock") != 3 {
		return
	}
	l.reading = !l.reading
	if l.reading {
		l.held = l.account.balance
	}
	if !l.reading || l.account.locked {
		l.account.balance = l.held + 1
		l.account.writes++
		l.reading = false
	}
}

func (s *account) Build(w *sim.World) {
	s.balance, s.writes = 0, 0
	for i := range s.loops {
		s.loops[i] = loop{account: s, index: i, noise: i >= 2, left: 8}
		w.Add("l"+strconv.Itoa(i), &s.loops[i])
	}
}

func (s *account) Options() sim.Options         { return sim.Options{} }
func (s *account) After(*sim.World, sim.Action) {}
func (s *account) Over(*sim.World) bool         { return false }
func (s *account) Judge(*sim.World) []explore.Finding {
	s.found[0] = explore.Finding{Property: "adds up", Verdict: model.Holds, Exercised: s.writes}
	if s.balance != s.writes {
		s.found[0].Verdict, s.found[0].Label = model.Violated, "lost update"
	}
	s.found[1] = explore.Finding{Property: "idle", Verdict: model.Holds}
	if s.idle {
		return s.found[:]
	}
	return s.found[:1]
}

func broken() explore.Subject { return &account{} }
func right() explore.Subject  { return &account{locked: true} }
func idle() explore.Subject   { return &account{locked: true, idle: true} }

func TestMustHold(t *testing.T) {
	result := MustHold(t, right, 200)
	require.EqualValues(t, 200, result.Schedules)
	require.NotZero(t, result.Properties[0].Exercised)
	failing := quietly(t, func(t testing.TB) { MustHold(t, broken, 200) })
	require.Contains(t, failing, "adds up (lost update): violated in ")
	require.Contains(t, failing, "shrunk:\n\trun l", "a story of the few steps that matter")
	require.Less(t, strings.Count(failing, "\n"), 10)
	failing = quietly(t, func(t testing.TB) { MustHold(t, idle, 200) })
	require.Contains(t, failing, "idle: vacuous")
}

func TestCheck(t *testing.T) {
	Check(t, right, 100)
	failing := quietly(t, func(t testing.TB) { Check(t, idle, 100) })
	require.Contains(t, failing, "idle: vacuous")
}

var replayCall = regexp.MustCompile(`property\.Replay\(t, newSubject((?:, \d+)*)\)`)

func TestCheckShrinksToALineThatReproduces(t *testing.T) {
	t.Chdir(t.TempDir()) // rapid writes a file about the failure
	// How far rapid shrinks depends on where it began: one seed of some hundred ends at 13 choices.
	require.NoError(t, flag.Set("rapid.seed", "1"))
	t.Cleanup(func() { require.NoError(t, flag.Set("rapid.seed", "0")) })
	failing := quietly(t, func(t testing.TB) { Check(t, broken, 100) })
	call := replayCall.FindStringSubmatch(failing)
	require.NotNil(t, call, failing)
	var list []uint16
	for _, s := range strings.Split(call[1], ", ")[1:] {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		list = append(list, uint16(n))
	}
	t.Log(call[0])
	require.LessOrEqual(t, strings.Count(failing, "\n"), MaxLines)
	require.Contains(t, failing, "adds up (lost update) is violated:\n\trun l", "the choices")
	require.NotContains(t, failing, "[rapid]", "what it prints is a list of numbers")
	require.NotEmpty(t, list)
	require.LessOrEqual(t, len(list), 12)
	again := quietly(t, func(t testing.TB) { Replay(t, broken, list...) })
	require.Contains(t, again, "adds up (lost update) is violated")
	Replay(t, right, list...)
}
