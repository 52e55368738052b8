package command

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// description is all that the catalogue has on one scenario.
type description struct {
	Name     string            `json:"name"`
	Summary  string            `json:"summary"`
	Doc      string            `json:"doc"`
	Claims   []string          `json:"claims"`
	Expected []string          `json:"expectedViolations"`
	Known    []knownRow        `json:"known"`
	Params   map[string]string `json:"params"`
}

// knownRow is a row of what is known. Holds says whether it holds with the
// scenario's own parameters.
type knownRow struct {
	When     []string `json:"when,omitempty"`
	Violates []string `json:"violates"`
	Rarely   bool     `json:"rarely,omitempty"`
	Because  string   `json:"because"`
	Holds    bool     `json:"holds"`
}

func describeScenario(w io.Writer, sc *testbed.Scenario, asJSON bool) error {
	d := description{
		Name: sc.Name, Summary: sc.Summary, Doc: sc.Doc, Claims: testbed.Names(sc.Claims),
		Expected: append([]string{}, known.Names(known.Expected(sc, &sc.Params))...),
		Known:    []knownRow{}, Params: map[string]string{},
	}
	setup, err := sc.Params.Setup()
	if err != nil {
		return err
	}
	for _, r := range known.Rows(sc) {
		d.Known = append(d.Known, knownRow{r.Conditions(), testbed.Names(r.Violates), r.Rarely, r.Because, r.Holds(setup)})
	}
	var set []string
	for _, p := range sc.Params.Given() {
		d.Params[p.Name] = p.Value
		set = append(set, p.String())
	}
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(d)
	}
	_, err = fmt.Fprintf(w, "%s: %s\n\n%s\n\nclaims: %s\nparameters: %s\n\n%s",
		d.Name, d.Summary, d.Doc, strings.Join(d.Claims, ", "), strings.Join(set, " "), knownText(d.Known))
	return err
}

// knownText is the table as text: first what holds with the scenario's parameters.
func knownText(rows []knownRow) string {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b knownRow) int {
		switch {
		case a.Holds == b.Holds:
			return 0
		case a.Holds:
			return -1
		}
		return 1
	})
	var b strings.Builder
	for i, r := range rows {
		switch {
		case i == 0 && r.Holds:
			b.WriteString("known to be violated with these parameters:\n")
		case i == 0:
			b.WriteString("known to be violated with these parameters: nothing\n\nwith other parameters:\n")
		case !r.Holds && rows[i-1].Holds:
			b.WriteString("\nwith other parameters:\n")
		}
		b.WriteString("  " + strings.Join(r.Violates, ", "))
		if r.Rarely {
			b.WriteString(", rarely")
		}
		b.WriteString("\n")
		for _, part := range append(r.When, "because "+r.Because) {
			b.WriteString("    " + part + "\n")
		}
	}
	return b.String()
}
