package check

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// TestWhatIsJudgedWithoutBeingAskedFor: reads at a revision are judged if there are any, and a
// history of comparisons alone is judged by what they found.
func TestWhatIsJudgedWithoutBeingAskedFor(t *testing.T) {
	const (
		one   = `{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a","value":"1"},"response":{"revision":2}}`
		two   = `{"client":"w","op":"put","call":3,"return":4,"request":{"key":"a","value":"2"},"response":{"revision":3}}`
		plain = `{"client":"r","op":"get","call":9,"return":10,"request":{"key":"a"},"response":{"revision":3,"items":[{"key":"a","value":"2","create":2,"mod":3,"version":2}]}}`
	)
	read := func(freshness, value, mod string) string {
		return `{"client":"r","op":"get","call":5,"return":6,"request":{"key":"a",` + freshness + `},"response":{"revision":` + mod +
			`,"items":[{"key":"a","value":"` + value + `","create":2,"mod":` + mod + `,"version":1}]}}`
	}
	lock := func(call, succeeded string) string {
		return `{"client":"l","op":"txn","call":` + call + `,"return":` + call + `1,"request":{"compare":[{"key":"a","target":"version","result":"=","value":0}],` +
			`"success":[{"op":"put","key":"a","value":"held"}]},"response":` + succeeded + `}`
	}
	for name, c := range map[string]struct {
		lines    []string
		property string
		verdict  model.Verdict
	}{
		"an exact read that is right":          {[]string{one, two, read(`"freshness":"exact","revision":2`, "1", "2"), plain}, "exact", model.Holds},
		"an exact read of a later state":       {[]string{one, two, read(`"freshness":"exact","revision":2`, "2", "3"), plain}, "exact", model.Violated},
		"a read that is older than asked for":  {[]string{one, two, read(`"freshness":"not-older-than","revision":3`, "1", "2"), plain}, "not-older-than", model.Violated},
		"no read at a revision":                {[]string{one, two, plain}, "exact", model.Vacuous},
		"comparisons alone":                    {[]string{lock("1", `{"revision":2,"succeeded":true,"responses":[{}]}`), lock("20", `{"revision":2,"succeeded":false}`)}, "linearizable", model.Holds},
		"comparisons alone, of which one lies": {[]string{lock("1", `{"revision":2,"succeeded":true,"responses":[{}]}`), lock("20", `{"revision":3,"succeeded":true,"responses":[{}]}`)}, "linearizable", model.Violated},
		"one comparison":                       {[]string{lock("1", `{"revision":2,"succeeded":true,"responses":[{}]}`)}, "linearizable", model.Vacuous},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := history.Read(strings.NewReader(strings.Join(c.lines, "\n")))
			require.NoError(t, err)
			r, err := History(h, Options{})
			require.NoError(t, err)
			got := model.Vacuous
			for _, j := range r.Judgements {
				if j.Property == c.property {
					got = j.Verdict
				}
			}
			require.Equal(t, c.verdict, got)
			if c.verdict == model.Violated {
				require.Equal(t, model.Violated, r.Verdict)
			}
		})
	}
}
