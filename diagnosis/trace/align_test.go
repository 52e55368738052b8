package trace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/trace"
)

// named is a trace of steps, each with a letter for its name.
func named(letters string) *trace.Trace {
	t := &trace.Trace{}
	for _, l := range letters {
		t.Steps = append(t.Steps, trace.Step{Name: string(l)})
	}
	return t
}

// TestStepsAreAligned: steps of the same name stand beside each other, in order.
func TestStepsAreAligned(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"abc", "abc", "aa bb cc"},
		{"abcd", "abxd", "aa bb c- -x dd"},
		{"ab", "axyb", "aa -x -y bb"},
		{"abc", "", "a- b- c-"},
	} {
		letter := func(s string, i int) string {
			if i < 0 {
				return "-"
			}
			return s[i : i+1]
		}
		var got []string
		for _, p := range trace.Align(named(c.a), named(c.b)) {
			got = append(got, letter(c.a, p.A)+letter(c.b, p.B))
		}
		require.Equal(t, c.want, strings.Join(got, " "), fmt.Sprint(c))
	}
}

// TestNoStepIsLeftOut: also of runs that are too long to be compared to their ends.
func TestNoStepIsLeftOut(t *testing.T) {
	a, b := named("x"+strings.Repeat("a", 2100)), named("y"+strings.Repeat("b", 2200))
	var left, right int
	for _, p := range trace.Align(a, b) {
		if p.A >= 0 {
			require.Equal(t, left, p.A)
			left++
		}
		if p.B >= 0 {
			require.Equal(t, right, p.B)
			right++
		}
	}
	require.Equal(t, 2101, left)
	require.Equal(t, 2201, right)
}
