package format_test

import (
	"encoding/json"
	"fmt"
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

// TestWatchesAlone: what a watch was sent is judged by itself.
func TestWatchesAlone(t *testing.T) {
	lines := func(name string) []string { return strings.SplitAfter(file(t, name), "\n") }
	etcdctl, gateway, kubectl := lines("etcdctl-watch.json"), lines("gateway-watch.json"), lines("kubectl-watch-events.json")
	const (
		progress = "progress notify: 8\n" + `{"Header": {"revision": 8}, "Events": null, "CompactRevision": 0, "Canceled": false, "Created": false}` + "\n"
		newer    = `{"result": {"header": {"revision": "68"}, "events": [{"type": "DELETE", "kv": {"key": "YQ==", "mod_revision": "68"}}]}}` + "\n"
		canceled = `{"result": {"header": {"revision": "68"}, "canceled": true, "compact_revision": "60"}}` + "\n"
		bookmark = `{"type": "BOOKMARK", "object": {"kind": "Pod", "metadata": {"resourceVersion": "105"}}}`
		list     = `{"type": "ADDED", "object": {"kind": "Pod", "metadata": {"name": "a", "resourceVersion": "101"}}}`
		expired  = `{"type": "ERROR", "object": {"kind": "Status", "code": 410}}`
	)
	deleted := strings.Replace(kubectl[2], "104", "106", 1)
	pretty := strings.NewReplacer(", ", ",\n    ", "{", "{\n  ")
	for name, c := range map[string]struct {
		text     string
		property string
		want     model.Verdict
	}{
		"etcdctl":                            {etcdctl[0] + etcdctl[1], "ordered", model.Holds},
		"etcdctl, reordered":                 {etcdctl[1] + etcdctl[0], "ordered", model.Violated},
		"etcdctl, a duplicate":               {etcdctl[0] + etcdctl[1] + etcdctl[1], "unique", model.Violated},
		"etcdctl, a revision split":          {etcdctl[0] + etcdctl[1] + strings.Replace(etcdctl[1], "YQ==", "Yg==", 1), "atomic", model.Violated},
		"etcdctl, progress":                  {etcdctl[0] + etcdctl[1] + progress, "bookmarkable", model.Holds},
		"etcdctl, progress too early":        {etcdctl[0] + progress + etcdctl[1], "bookmarkable", model.Violated},
		"gateway, one event":                 {gateway[0] + gateway[1], "ordered", model.Vacuous},
		"gateway":                            {gateway[0] + gateway[1] + newer, "ordered", model.Holds},
		"gateway, reordered":                 {gateway[0] + newer + gateway[1], "ordered", model.Violated},
		"gateway, a duplicate":               {gateway[0] + newer + newer, "unique", model.Violated},
		"gateway, two watches":               {newer + gateway[0] + gateway[1], "ordered", model.Vacuous},
		"gateway, created is no bookmark":    {gateway[0] + strings.NewReplacer(`"67"`, `"62"`, `"4"`, `"2"`).Replace(gateway[1]), "bookmarkable", model.Vacuous},
		"gateway, another watch":             {newer + strings.ReplaceAll(gateway[1], `"events"`, `"watch_id": "7", "events"`), "ordered", model.Vacuous},
		"gateway, behind a cancelation":      {newer + canceled + gateway[1], "ordered", model.Vacuous},
		"gateway, a revision split":          {gateway[0] + newer + strings.Replace(newer, "YQ==", "Yg==", 1), "atomic", model.Violated},
		"gateway, a fragment":                {gateway[0] + strings.Replace(newer, `"header"`, `"fragment": true, "header"`, 1) + strings.Replace(newer, "YQ==", "Yg==", 1), "atomic", model.Holds},
		"kubectl, as it is":                  {file(t, "kubectl-watch-events.json"), "ordered", model.Violated},
		"kubectl":                            {kubectl[0] + kubectl[1] + deleted, "ordered", model.Holds},
		"kubectl, a duplicate":               {kubectl[0] + kubectl[1] + kubectl[1], "unique", model.Violated},
		"kubectl, on several lines":          {pretty.Replace(kubectl[0] + kubectl[1] + kubectl[2]), "ordered", model.Violated},
		"kubectl, from a list":               {list + kubectl[0] + kubectl[1] + deleted, "ordered", model.Holds},
		"kubectl, older than the list":       {list + kubectl[0] + strings.Replace(kubectl[1], "105", "99", 1), "ordered", model.Violated},
		"kubectl, several of one revision":   {kubectl[0] + kubectl[1] + strings.Replace(kubectl[1], `"p"`, `"q"`, 1), "atomic", model.Holds},
		"kubectl, a bookmark too early":      {kubectl[0] + bookmark + kubectl[1], "bookmarkable", model.Violated},
		"kubectl, a bookmark":                {kubectl[0] + kubectl[1] + bookmark + deleted, "bookmarkable", model.Holds},
		"kubectl, a watch behind an expired": {deleted + expired + kubectl[0], "ordered", model.Vacuous},
	} {
		t.Run(name, func(t *testing.T) {
			result, verdicts := judged(t, c.text, format.Watch)
			require.NotEqual(t, model.VerdictUnknown, result.Verdict)
			if c.property == "atomic" && strings.HasPrefix(name, "kubectl") {
				// Kubernetes does not promise it.
				require.NotContains(t, verdicts, c.property)
				require.Equal(t, c.want, result.Verdict)
				return
			}
			require.Equal(t, c.want, verdicts[c.property])
			require.Equal(t, c.want == model.Violated, result.Verdict == model.Violated, "nothing else is wrong")
		})
	}
}

// TestWatchesAloneContradictThemselves: a was put at revision 5 with value 1, and at 7 with value 2.
func TestWatchesAloneContradictThemselves(t *testing.T) {
	const created = `{"Header": {"revision": 5}, "Events": [{"kv": {"key": "YQ==", "create_revision": 5, "mod_revision": 5, "version": 1, "value": "MQ=="}}], "CompactRevision": 0}` + "\n"
	const put, deleted = `{"Header": {"revision": 7}, "Events": [{"kv": {"key": "YQ==", "create_revision": %d, "mod_revision": 7, "version": %d, "value": "Mg=="}%s}], "CompactRevision": 0}`,
		`{"Header": {"revision": 7}, "Events": [{"type": 1, "kv": {"key": "YQ==", "mod_revision": 7}%s}], "CompactRevision": 0}`
	prev := func(key, value string, create, mod, version int) string {
		return fmt.Sprintf(`, "prev_kv": {"key": %q, "create_revision": %d, "mod_revision": %d, "version": %d, "value": %q}`, key, create, mod, version, value)
	}
	third := strings.NewReplacer(`"create_revision": 5`, `"create_revision": 2`, `"version": 1`, `"version": 3`).Replace(created)
	right := prev("YQ==", "MQ==", 5, 5, 1)
	for name, c := range map[string]struct {
		text, violated string
	}{
		"right":                      {created + fmt.Sprintf(put, 5, 2, right), ""},
		"a change between":           {created + fmt.Sprintf(put, 5, 3, prev("YQ==", "Mw==", 5, 6, 2)), ""},
		"created anew":               {created + fmt.Sprintf(put, 7, 1, ""), ""},
		"deleted":                    {created + fmt.Sprintf(deleted, right), ""},
		"alone":                      {fmt.Sprintf(put, 5, 2, right), ""},
		"the same version":           {third + fmt.Sprintf(put, 2, 3, ""), "reliable"},
		"more versions than changes": {fmt.Sprintf(put, 5, 4, ""), "reliable"},
		"a version too far":          {third + fmt.Sprintf(put, 2, 6, ""), "reliable"},
		"created with a version":     {created + fmt.Sprintf(put, 7, 2, ""), "reliable"},
		"a first version later":      {fmt.Sprintf(put, 5, 1, ""), "reliable"},
		"created later":              {fmt.Sprintf(put, 8, 1, ""), "reliable"},
		"created before":             {created + fmt.Sprintf(put, 4, 2, ""), "reliable"},
		"another value":              {created + fmt.Sprintf(deleted, prev("YQ==", "Mg==", 5, 5, 1)), "prevKV"},
		"another version":            {created + fmt.Sprintf(put, 5, 2, prev("YQ==", "MQ==", 5, 5, 2)), "prevKV"},
		"another key":                {fmt.Sprintf(deleted, prev("Yg==", "MQ==", 5, 5, 1)), "prevKV"},
		"itself":                     {fmt.Sprintf(put, 5, 2, prev("YQ==", "Mg==", 5, 7, 1)), "prevKV"},
		"older than one that came":   {created + fmt.Sprintf(deleted, prev("YQ==", "MQ==", 4, 4, 1)), "prevKV"},
		"before the creation":        {created + fmt.Sprintf(put, 7, 1, right), "prevKV"},
	} {
		_, verdicts := judged(t, c.text, format.Watch)
		for property, v := range verdicts {
			require.Equal(t, property == c.violated, v == model.Violated, "%s: %s", name, property)
		}
		require.True(t, c.violated == "" || verdicts[c.violated] == model.Violated, name)
		require.Equal(t, strings.Contains(c.text, "prev_kv"), verdicts["prevKV"] != 0, name)
	}
}

// TestWhatIsMissing: what is recognised and cannot be judged is named.
func TestWhatIsMissing(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"etcdctl put":          {file(t, "etcdctl-ops.json"), "line 1: an answer of etcd, as etcdctl put, get and del -w json print it, without what was asked for, by which client and when"},
		"kubectl":              {`{"apiVersion": "v1", "kind": "Pod", "metadata": {"resourceVersion": "5"}}`, "line 1: an object of Kubernetes without the type of an event: record with kubectl get -w --output-watch-events"},
		"robustness":           {`{"ClientId": 1, "Input": {}}`, "line 1: an operation of a report of robustness tests: name the folder"},
		"neither":              {`{"result": {}}` + "\n" + `{"other": 1}`, "line 2: neither a response of etcd to a watch nor an event of Kubernetes"},
		"type of etcd":         {`{"result": {"events": [{"type": 2, "kv": {"key": "YQ==", "mod_revision": "5"}}]}}`, "line 1: unknown type of an event 2"},
		"no revision":          {`{"result": {"events": [{"kv": {"key": "YQ=="}}]}}`, `gateway: an item of an event needs "key" and "mod"`},
		"type of Kubernetes":   {`{"type": "GONE", "object": {"metadata": {"resourceVersion": "5"}}}`, `line 1: unknown type of an event "GONE"`},
		"resourceVersion":      {`{"type": "ADDED", "object": {"metadata": {"resourceVersion": "x"}}}`, `line 1: the resourceVersion "x" is no revision of etcd`},
		"cut off":              {file(t, "gateway-watch.json")[:200], "line 2: not JSON: the object that begins here ends too early"},
		"wrong type":           {`{"result": 5}`, `line 1: "Result" cannot be a number`},
		"another kind of line": {`{"clinet": "a"}`, `line 1: unknown field "clinet"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := format.ReadStream(strings.NewReader(c.text), "")
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}
