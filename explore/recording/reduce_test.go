package recording_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// machines are nodes that each answer three questions, of which the last is about a delay, and a judge that is not
// content if the questions that matter have other answers than the first.
type machines struct {
	nodes []*machine
	out   []string
	// needs are the answers at which the judge is not content, after so many steps.
	needs map[string]int
	after int
	// shifts: questions are others where something is left out.
	shifts bool
}

type machine struct {
	sim.Idle
	name    string
	answers map[string]int
	// behind is what stands behind its questions.
	behind string
}

func (m *machine) Start(env *sim.Env) {
	m.answers = map[string]int{}
	for _, question := range []string{"kind", "key", "delay"} {
		m.answers[question+" of "+m.name] = env.Choose(4, question+" of "+m.name+m.behind)
	}
	env.Arm(0, sim.Duration(1+m.answers["delay of "+m.name]))
}

func newMachines() *machines {
	s := &machines{needs: map[string]int{"kind of 3": 2, "key of 5": 1}}
	for i := range 8 {
		s.nodes = append(s.nodes, &machine{name: fmt.Sprint(i)})
	}
	return s
}

func (s *machines) Options() sim.Options { return sim.Options{Mode: sim.Timed} }

func (s *machines) Build(w *sim.World) {
	for _, m := range s.nodes {
		if m.behind = ""; s.shifts {
			m.behind = fmt.Sprint(" without ", len(s.out))
		}
		if m.answers = nil; strings.Contains(strings.Join(s.out, " "), m.name) {
			w.Add("m"+m.name, sim.Idle{})
		} else {
			w.Add("m"+m.name, m)
		}
	}
}

func (s *machines) After(*sim.World, sim.Action) {}
func (s *machines) Over(*sim.World) bool         { return false }

func (s *machines) Judge(w *sim.World) []explore.Finding {
	f := explore.Finding{Property: "quiet", Verdict: model.Holds, Exercised: 1}
	for question, least := range s.needs {
		found := false
		for _, m := range s.nodes {
			found = found || m.answers[question] >= least
		}
		if !found {
			return []explore.Finding{f}
		}
	}
	if w.Steps() >= max(1, s.after) {
		f.Verdict, f.Label = model.Violated, "loud"
	}
	return []explore.Finding{f}
}

func (s *machines) Parts() []recording.Kind {
	var kinds [2]recording.Kind
	for i, m := range s.nodes {
		if !strings.Contains(strings.Join(s.out, " "), m.name) {
			k := &kinds[i/4]
			k.Name, k.Parts = "half", append(k.Parts, m.name)
		}
	}
	return kinds[:]
}

func (s *machines) LeaveOut(parts []string) { s.out = parts }

// TestReduceLeavesOutParts: only the parts that the failure needs stay. Of their questions only those keep another
// answer than the first for which the failure needs it.
func TestReduceLeavesOutParts(t *testing.T) {
	loud := explore.Failure{Property: "quiet", Label: "loud"}
	for seed := range uint64(40) {
		s := newMachines()
		r := explore.NewRunner(s, 0)
		rec, res := recording.RecordSeed(r, strategy.Random(), seed)
		if res.Find(loud) == nil {
			continue
		}
		small, err := recording.Reduce(context.Background(), r, s, rec, loud, 200)
		require.NoError(t, err)
		require.True(t, small.Complete)
		require.Less(t, small.Runs, 80)
		require.Equal(t, 1, small.After, "it is cut off behind the violation")
		var left []string
		for _, k := range s.Parts() {
			left = append(left, k.Parts...)
		}
		require.Equal(t, []string{"3", "5"}, left)
		require.Equal(t, []recording.Kind{{Name: "half", Parts: []string{"3"}}, {Name: "half", Parts: []string{"5"}}}, small.Deciding)
		for _, c := range small.Recording.Choices {
			if strings.HasPrefix(c, "choose ") && !strings.HasSuffix(c, "=0/4") {
				require.Regexp(t, `kind of 3=[23]/4|key of 5=[123]/4`, c)
			}
		}
		_, err = recording.Replay(r, small.Recording)
		require.NoError(t, err)
		return
	}
	t.Fatal("no seed fails")
}

// TestWhatShiftsDoesNotDecide: without a part that only has later questions be others the run fails again as soon as
// those are drawn anew.
func TestWhatShiftsDoesNotDecide(t *testing.T) {
	s := newMachines()
	s.needs, s.shifts = map[string]int{"kind of 3": 1}, true
	r := explore.NewRunner(s, 0)
	loud := explore.Failure{Property: "quiet", Label: "loud"}
	for seed := range uint64(10) {
		rec, res := recording.RecordSeed(r, strategy.Random(), seed)
		if res.Find(loud) == nil {
			continue
		}
		small, err := recording.Reduce(context.Background(), r, s, rec, loud, 200)
		require.NoError(t, err)
		require.Equal(t, []recording.Kind{{Name: "half", Parts: []string{"0", "1", "2", "3"}}}, small.Deciding)
		require.Len(t, s.Parts()[1].Parts, 4, "without any of them the same answers pass")
		return
	}
	t.Fatal("no seed fails")
}

// TestReduceCutsOff: the run ends with the violation, also when the runs are used up before.
func TestReduceCutsOff(t *testing.T) {
	s := newMachines()
	s.needs, s.after = nil, 2
	r := explore.NewRunner(s, 0)
	rec, _ := recording.RecordSeed(r, strategy.Random(), 1)
	for _, runs := range []int{1, 4, 7} {
		small, err := recording.Reduce(context.Background(), r, s, rec, explore.Failure{Property: "quiet", Label: "loud"}, runs)
		require.NoError(t, err)
		require.Equal(t, 2, small.After)
		require.False(t, small.Complete)
	}
}

// TestReduceTakesTurns: where the order of what is due at once does not matter, steps are those of the default choice.
func TestReduceTakesTurns(t *testing.T) {
	s := newMachines()
	s.needs, s.after = nil, 4
	r := explore.NewRunner(s, 0)
	rec, _ := recording.RecordSeed(r, strategy.Random(), 1)
	small, err := recording.Reduce(context.Background(), r, nil, rec, explore.Failure{Property: "quiet", Label: "loud"}, 100)
	require.NoError(t, err)
	var steps []string
	for _, c := range small.Recording.Choices {
		if strings.HasPrefix(c, "fire ") {
			steps = append(steps, c[:len("fire m0")])
		}
	}
	require.Equal(t, []string{"fire m0", "fire m1", "fire m2", "fire m3"}, steps)
}

// TestLongParameterComesBack: a configuration may have much to say of what is left out.
func TestLongParameterComesBack(t *testing.T) {
	r := explore.NewRunner(newMachines(), 0)
	rec, _ := recording.RecordSeed(r, strategy.Random(), 1)
	rec.Tool, rec.Scenario = "t", "s"
	rec.Parameters = []option.Setting{{Name: "config", Value: strings.Repeat("x", 5000)}}
	var file bytes.Buffer
	_, err := rec.WriteTo(&file)
	require.NoError(t, err)
	read, err := recording.Read(&file, "file")
	require.NoError(t, err)
	require.Equal(t, rec.Parameters, read.Parameters)
}
