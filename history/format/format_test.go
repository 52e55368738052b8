package format_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/history/format"
	"github.com/watchbed/watchbed/model"
)

// file is one of testdata, which are as their programs print them.
func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return string(text)
}

// judged are the judgements on a text, by property.
func judged(t *testing.T, text string, want format.Format) (*check.Result, map[string]model.Verdict) {
	t.Helper()
	r, err := format.ReadStream(strings.NewReader(text), "")
	require.NoError(t, err)
	require.Equal(t, want, r.Format)
	result, err := check.History(r.History, check.Options{Defaults: r.Properties})
	require.NoError(t, err)
	all := map[string]model.Verdict{}
	for _, j := range result.Judgements {
		all[j.Property] = j.Verdict
	}
	return result, all
}

// TestAuditLogsOfCollectors: the list of testdata is of revision 99, older than a write that was
// answered before. Of revision 101 it is right.
func TestAuditLogsOfCollectors(t *testing.T) {
	for _, name := range []string{"audit-grep.log", "audit-cloudwatch.log", "audit-webhook-eventlist-pretty.json"} {
		text := file(t, name)
		var messages []string
		for _, part := range strings.SplitAfter(strings.TrimSpace(text), "}}}\n") {
			quoted, err := json.Marshal("audit: " + part)
			require.NoError(t, err)
			messages = append(messages, `{"message": `+string(quoted)+`}`)
		}
		for how, text := range map[string]string{
			"as it is":       text,
			"in an array":    "[\n" + strings.ReplaceAll(text, "\n{", "\n, {") + "]\n",
			"among others":   "I0101 starts\n" + text + `{"kind": "Event", "apiVersion": "v1"}`,
			"in another log": `{"level": 3, "events": [` + strings.Join(messages, ",") + `]}`,
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				_, verdicts := judged(t, text, format.Audit)
				require.Equal(t, model.Violated, verdicts["linearizable"])
				require.Equal(t, 1, strings.Count(text, "99"))
				_, verdicts = judged(t, strings.Replace(text, "99", "101", 1), format.Audit)
				require.Equal(t, model.Holds, verdicts["linearizable"])
			})
		}
	}
}
