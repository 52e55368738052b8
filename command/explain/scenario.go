package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// Scenario is all that the catalogue has on one scenario.
type Scenario struct {
	Name     string            `json:"name"`
	Summary  string            `json:"summary"`
	Doc      string            `json:"doc"`
	Claims   []string          `json:"claims"`
	About    testbed.Reaches   `json:"about"`
	Expected []string          `json:"expectedViolations"`
	Known    []Row             `json:"known"`
	Params   map[string]string `json:"params"`
}

// Row is a row of what is known. Holds says whether it holds with the scenario's own
// parameters.
type Row struct {
	When     []string `json:"when,omitempty"`
	Violates []string `json:"violates"`
	Rarely   bool     `json:"rarely,omitempty"`
	Because  string   `json:"because"`
	Holds    bool     `json:"holds"`
}

func explainScenario(program string, e *Explanation, sc *testbed.Scenario) {
	s := &Scenario{
		Name: sc.Name, Summary: sc.Summary, Doc: sc.Doc, Claims: testbed.Names(sc.Claims), About: sc.About,
		Expected: append([]string{}, known.Names(known.Expected(sc, &sc.Params))...),
		Known:    []Row{}, Params: map[string]string{},
	}
	e.Doc, e.Scenario = sc.Doc, s
	e.say("claims", strings.Join(s.Claims, ", "))
	e.say("comes about in at least so many schedules", joined(each(slices.Sorted(maps.Keys(sc.About)), func(name string) string {
		return fmt.Sprintf("%s (%d %%)", name, sc.About[name])
	})))
	var set []string
	for _, p := range sc.Params.Given() {
		s.Params[p.Name] = p.Value
		set = append(set, p.String())
	}
	e.say("parameters", strings.Join(set, " "))
	e.say("to run it", program+" run "+sc.Name)
	setup, err := sc.Params.Setup()
	if err != nil {
		e.say("cannot run", err.Error())
		return
	}
	finds := bugsFor(func(b *testbed.KnownBug) bool { return b.Scenario == sc })
	e.list("known bugs that are looked for in it (--bug), the soonest first", each(finds, func(b *testbed.KnownBug) Item {
		return Item{b.Name, []string{b.Property.Name + ": " + howSoon(b)}}
	}))
	e.say("known bugs that show in it as well", bugsThat(func(b *testbed.KnownBug) bool { return slices.Contains(b.Also, sc) }))
	var here, elsewhere []Item
	for _, r := range known.Rows(sc) {
		row := Row{r.Conditions(), testbed.Names(r.Violates), r.Rarely, r.Because, r.Holds(setup)}
		s.Known = append(s.Known, row)
		if row.Holds {
			here = append(here, row.item())
		} else {
			elsewhere = append(elsewhere, row.item())
		}
	}
	if len(here) == 0 {
		e.say("known to be violated with these parameters", "nothing")
	}
	e.listBelow("known to be violated with these parameters", here)
	e.listBelow("known to be violated with other parameters", elsewhere)
}

func (r *Row) item() Item {
	name := strings.Join(r.Violates, ", ")
	if r.Rarely {
		name += ", rarely"
	}
	return Item{Name: name, Lines: append(append([]string{}, r.When...), "because "+r.Because)}
}
