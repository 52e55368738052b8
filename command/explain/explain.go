package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// Name explains a name: one explanation for each kind of thing that has it, none if
// nothing has it. The error is about NAME=VALUE with a value that the option does not
// take, and is one line. What can be typed begins with the name of the program.
func Name(program, name string) ([]Explanation, error) {
	if err := checkSetting(name); err != nil {
		return nil, err
	}
	var all []Explanation
	if name == "" {
		// A known bug without an issue has an empty one.
		return nil, nil
	}
	for _, k := range kinds {
		all = append(all, k.explain(program, name)...)
	}
	return all, nil
}

// Unknown is the error for a name that nothing has. It names the nearest ones, of
// which others are names for the caller.
func Unknown(program, name string, others ...string) error {
	if strings.Contains(name, "@") {
		return compiled(name)
	}
	for _, k := range kinds {
		for _, e := range k.entries() {
			others = append(others, e.Name)
		}
	}
	return fmt.Errorf("nothing is called %q%s", name, meant(program, registry.Nearest(name, others)))
}

// compiled is the error for the name of compiled code that is not there.
func compiled(name string) error {
	if strings.HasPrefix(name, "etcd@") {
		_, err := testbed.FindProgram(name)
		return err
	}
	_, err := cache.FindDesign(name)
	return err
}

// Misnamed is about a name that was given for one kind of thing: what it is instead,
// empty if nothing has it.
func Misnamed(name string) string {
	all, err := Name("", name)
	if err != nil || len(all) == 0 {
		return ""
	}
	var found []string
	for _, e := range all {
		if what := article(e.Kind); !slices.Contains(found, what) {
			found = append(found, what)
		}
	}
	return strings.Join(found, " and ")
}

func article(kind string) string {
	if strings.ContainsRune("aeiou", rune(kind[0])) {
		return "an " + kind
	}
	return "a " + kind
}

// meant is the end of an error's line.
func meant(program string, nearest []string) string {
	if len(nearest) == 0 {
		return "; `" + program + " list` has all names"
	}
	quoted := make([]string, len(nearest))
	for i, n := range nearest {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	if last := len(quoted) - 1; last > 0 {
		return "; did you mean " + strings.Join(quoted[:last], ", ") + " or " + quoted[last] + "?"
	}
	return "; did you mean " + quoted[0] + "?"
}
