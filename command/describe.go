package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// description is all that the catalogue has on one scenario.
type description struct {
	Name     string            `json:"name"`
	Summary  string            `json:"summary"`
	Doc      string            `json:"doc"`
	Claims   []string          `json:"claims"`
	Expected []string          `json:"expectedViolations"`
	Params   map[string]string `json:"params"`
}

func describeScenario(w io.Writer, sc *testbed.Scenario, asJSON bool) error {
	d := description{sc.Name, sc.Summary, sc.Doc, testbed.Names(sc.Claims), append([]string{}, testbed.Names(scenarios.ExpectedViolations(sc, &sc.Params))...), map[string]string{}}
	var set []string
	for _, given := range sc.Params.Given() {
		d.Params[given.Name] = given.Value
		set = append(set, given.String())
	}
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(d)
	}
	expected := "nothing"
	if len(d.Expected) > 0 {
		expected = strings.Join(d.Expected, ", ")
	}
	_, err := fmt.Fprintf(w, "%s: %s\n\n%s\n\nclaims: %s\nviolated with these parameters, as far as is known: %s\nparameters: %s\n",
		d.Name, d.Summary, d.Doc, strings.Join(d.Claims, ", "), expected, strings.Join(set, " "))
	return err
}
