package audit_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/history/audit"
	"github.com/watchbed/watchbed/model"
)

// line is an event of a request for pods of the namespace default, called and answered at
// microseconds.
func line(level, verb, name, query string, called, answered, code int, rest string) string {
	uri, ref := "/api/v1/namespaces/default/pods", `"resource":"pods","namespace":"default"`
	if name != "" {
		uri += "/" + name
		ref += fmt.Sprintf(`,"name":%q`, name)
	}
	if query != "" {
		uri += "?" + query
	}
	if rest != "" {
		rest = "," + rest
	}
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":%q,"auditID":"%06d","stage":"ResponseComplete",`+
		`"requestURI":%q,"verb":%q,"user":{"username":"jane","groups":["dev"]},"objectRef":{%s,"apiVersion":"v1"},"responseStatus":{"metadata":{},"code":%d},`+
		`"requestReceivedTimestamp":"2026-11-23T08:00:00.%06dZ","stageTimestamp":"2026-11-23T08:00:00.%06dZ"%s}`+"\n",
		level, called, uri, verb, ref, code, called, answered, rest)
}

func pod(name string, revision int) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"namespace":"default","resourceVersion":"%d","labels":{"app":"x"}}}`, name, revision)
}

func response(object string) string {
	return `"responseObject":{"kind":"Pod",` + strings.TrimPrefix(object, "{")
}

func pods(kind string, revision int, meta string, items ...string) string {
	return fmt.Sprintf(`"responseObject":{"kind":%q,"metadata":{"resourceVersion":"%d"%s},"items":[%s]}`, kind, revision, meta, strings.Join(items, ","))
}

const full = "RequestResponse"

// sound is a log of an API server beside which others write: object b is theirs.
func sound() string {
	return line(full, "create", "", "", 10, 20, 201, response(pod("a", 100))) +
		line(full, "list", "", "limit=500", 30, 40, 200, pods("PodList", 103, "", pod("a", 100), pod("b", 102))) +
		line(full, "update", "a", "", 50, 60, 200, `"requestObject":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"100"}},`+response(pod("a", 105))) +
		// It changes nothing.
		line(full, "patch", "a", "", 62, 64, 200, `"requestObject":{"metadata":{"labels":{"app":"x"}}},`+response(pod("a", 105))) +
		line(full, "get", "a", "", 70, 80, 200, response(pod("a", 105))) +
		line(full, "list", "", "", 90, 91, 200, `"responseObject":{"kind":"Table","metadata":{"resourceVersion":"105"},"rows":[{"cells":["a"],"object":`+pod("a", 105)+`},{"cells":["b"],"object":`+pod("b", 102)+`}]}`) +
		line(full, "list", "", "resourceVersion=0", 92, 93, 200, pods("PodList", 103, "", pod("a", 100), pod("b", 102))) +
		line(full, "delete", "a", "", 100, 110, 200, `"responseObject":{"kind":"Status","status":"Success"}`) +
		line(full, "get", "a", "", 120, 130, 404, `"responseObject":{"kind":"Status","code":404}`) +
		line(full, "list", "", "limit=1", 140, 150, 200, pods("PodList", 120, `,"continue":"x"`, pod("b", 102))) +
		line(full, "list", "", "", 160, 170, 200, pods("PodList", 121, "", pod("b", 102)))
}

func judged(t *testing.T, text string) check.Judgement {
	t.Helper()
	return judgedBy(t, "linearizable", text)
}

func judgedBy(t *testing.T, property, text string) check.Judgement {
	t.Helper()
	h, _, err := audit.Read(strings.NewReader(text))
	require.NoError(t, err)
	require.True(t, h.Partial)
	r, err := check.History(h, check.Options{Properties: []string{property}})
	require.NoError(t, err)
	return r.Judgements[0]
}

func TestSoundLogHolds(t *testing.T) {
	j := judged(t, sound())
	require.Equal(t, model.Holds, j.Verdict, "%+v", j)
	require.Equal(t, 8, j.Exercised, "what was read after the creation, deleted or left as it was")
}

// TestCorruptedLogs: each has one field that is wrong.
func TestCorruptedLogs(t *testing.T) {
	for name, c := range map[string]struct{ was, is string }{
		"stale get":         {line(full, "get", "a", "", 70, 80, 200, response(pod("a", 105))), line(full, "get", "a", "", 70, 80, 200, response(pod("a", 100)))},
		"stale list":        {pods("PodList", 121, "", pod("b", 102)), pods("PodList", 104, "", pod("a", 100), pod("b", 102))},
		"lost object":       {`{"cells":["a"],"object":` + pod("a", 105) + `},`, ""},
		"object comes back": {pods("PodList", 121, "", pod("b", 102)), pods("PodList", 121, "", pod("a", 105), pod("b", 102))},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(sound(), c.was, c.is, 1)
			require.NotEqual(t, sound(), text)
			j := judged(t, text)
			require.Equal(t, model.Violated, j.Verdict, "%+v", j)
		})
	}
}

// paged is a log of a list in two pages, during which object c is written.
func paged(token, second string) string {
	return line(full, "create", "", "", 10, 20, 201, response(pod("a", 100))) +
		line(full, "create", "", "", 30, 40, 201, response(pod("b", 101))) +
		line(full, "create", "", "", 50, 60, 201, response(pod("c", 102))) +
		line(full, "list", "", "limit=1", 70, 80, 200, pods("PodList", 102, `,"continue":"`+token+`"`, pod("a", 100))) +
		line(full, "update", "c", "", 90, 100, 200, response(pod("c", 103))) +
		line(full, "list", "", "limit=10&continue="+token, 110, 120, 200, second)
}

func token(start string, revision int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"v":"meta.k8s.io/v1","rv":%d,"start":"%s"}`, revision, start))
}

// TestLaterPages: a page is of the state of its token, and begins behind the page before it.
func TestLaterPages(t *testing.T) {
	behindA := token(`a\u0000`, 102)
	sound := pods("PodList", 102, "", pod("b", 101), pod("c", 102))
	past, onlyC := token(`b\u0000`, 102), pods("PodList", 102, "", pod("c", 102))
	list := `/pods?limit=1","verb":"list","user":{"username":"jane","groups":["dev"]},"objectRef":{"resource":"pods"`
	secrets, odd := strings.ReplaceAll(list, "pods", "secrets"), strings.Replace(list, "limit=1", "limit=1&resourceVersion=x", 1)
	require.Contains(t, paged(past, onlyC), list)
	for name, c := range map[string]struct {
		text string
		want model.Verdict
	}{
		"sound":                                         {paged(behindA, sound), model.Holds},
		"of a later state":                              {paged(behindA, pods("PodList", 103, "", pod("b", 101), pod("c", 103))), model.Violated},
		"an object of a later state":                    {paged(behindA, pods("PodList", 102, "", pod("b", 101), pod("c", 103))), model.Violated},
		"an object is missing":                          {paged(behindA, onlyC), model.Violated},
		"an object is shown twice":                      {paged(behindA, pods("PodList", 102, "", pod("a", 100), pod("b", 101), pod("c", 102))), model.Violated},
		"the token leads past an object":                {paged(past, onlyC), model.Violated},
		"the page before is of another resource":        {strings.Replace(paged(past, onlyC), list, secrets, 1), model.Holds},
		"the page before is not judged":                 {strings.Replace(paged(past, onlyC), list, odd, 1), model.Holds},
		"the page before is not judged, one is missing": {strings.Replace(paged(behindA, onlyC), list, odd, 1), model.Violated},
	} {
		t.Run(name, func(t *testing.T) {
			j := judgedBy(t, "exact", c.text)
			require.Equal(t, c.want, j.Verdict, "%+v", j)
		})
	}
}

// TestPagesOfTheNewestState: a token that had expired goes on in the newest state.
func TestPagesOfTheNewestState(t *testing.T) {
	newest := token(`b\u0000`, -1)
	list := `/pods?limit=1"`
	alone := strings.Replace(paged(newest, pods("PodList", 103, "", pod("c", 103))), list, `/pods?limit=1&resourceVersion=x"`, 1)
	require.Equal(t, model.Holds, judged(t, alone).Verdict)
	stale := strings.Replace(paged(newest, pods("PodList", 102, "", pod("c", 102))), list, `/pods?limit=1&resourceVersion=x"`, 1)
	require.Equal(t, model.Violated, judged(t, stale).Verdict)
}

// TestTokensThatAreNotKnown: a page is not judged if its token does not say where it begins.
func TestTokensThatAreNotKnown(t *testing.T) {
	for _, odd := range []string{"x", "e30", token("", 5), token("a", 0), token("../a", 5)} {
		h, notes, err := audit.Read(strings.NewReader(line(full, "list", "", "continue="+odd, 10, 20, 200, pods("PodList", 5, ""))))
		require.NoError(t, err)
		require.Empty(t, h.Operations, odd)
		require.Len(t, notes, 2)
	}
}

// TestWritesThatChangedNothing: of two updates with the same resourceVersion, one was idle.
func TestWritesThatChangedNothing(t *testing.T) {
	text := line(full, "patch", "a", "", 10, 40, 200, response(pod("a", 100))) +
		line(full, "patch", "a", "", 20, 30, 200, response(pod("a", 100))) +
		line(full, "get", "a", "", 50, 60, 200, response(pod("a", 100)))
	require.Equal(t, model.Holds, judged(t, text).Verdict)
}

// TestObjectsOfBefore: the log begins in the middle, and deletes what it has not created.
func TestObjectsOfBefore(t *testing.T) {
	text := line(full, "delete", "old", "", 10, 20, 200, `"responseObject":{"kind":"Status","status":"Success"}`) +
		line(full, "create", "", "", 30, 40, 201, response(pod("a", 100))) +
		line(full, "list", "", "", 50, 60, 200, pods("PodList", 103, "", pod("a", 100)))
	j := judged(t, text)
	require.Equal(t, model.Holds, j.Verdict, "%+v", j)
}

// TestLevels: what a level leaves out is not judged, and said.
// A body that a cluster has left out for its size is like a body that the level leaves out.
func TestBodiesThatAreSkipped(t *testing.T) {
	const skipped = `"requestObject":"skipped-too-big-size-object","responseObject":"skipped-too-big-size-object"`
	text := sound() + line(full, "list", "", "", 180, 190, 200, skipped)
	with, _, err := audit.Read(strings.NewReader(text))
	require.NoError(t, err)
	without, _, err := audit.Read(strings.NewReader(sound() + line("Metadata", "list", "", "", 180, 190, 200, "")))
	require.NoError(t, err)
	require.Equal(t, without, with)
	require.Equal(t, model.Holds, judged(t, text).Verdict)
}

// TestLongLines: an API server logs the answer to a LIST of a million objects in one line.
func TestLongLines(t *testing.T) {
	want, _, err := audit.Read(strings.NewReader(sound()))
	require.NoError(t, err)
	got, _, err := audit.Read(strings.NewReader("\ufeff" + strings.Replace(sound(), "{", "{"+strings.Repeat(" ", history.MaxLineBytes), 1)))
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestLevels(t *testing.T) {
	for _, level := range []string{"Metadata", "Request"} {
		text := line(level, "create", "", "", 10, 20, 201, "") + line(level, "list", "", "", 30, 40, 200, "")
		h, notes, err := audit.Read(strings.NewReader(text))
		require.NoError(t, err)
		require.Empty(t, h.Operations)
		require.Len(t, notes, 2)
		require.Contains(t, notes[1], "2 requests of level "+level+" are not judged")
		require.Equal(t, model.Vacuous, judged(t, text).Verdict)
	}
	_, notes, err := audit.Read(strings.NewReader(line(full, "watch", "", "", 10, 20, 200, "") + line(full, "list", "", "resourceVersion=x", 10, 20, 200, pods("PodList", 5, ""))))
	require.NoError(t, err)
	require.Contains(t, notes[1], "2 requests of level RequestResponse are not judged: watches (an audit log has none of their events), graceful deletions")
}

// TestRequestsWithoutAnObject: discovery and health checks are requests of nothing that etcd has.
func TestRequestsWithoutAnObject(t *testing.T) {
	text := sound() + regexp.MustCompile(`"objectRef":\{[^}]*\},`).ReplaceAllString(line(full, "get", "", "", 180, 190, 200, ""), "")
	require.Contains(t, text, `"dev"]},"responseStatus"`)
	h, notes, err := audit.Read(strings.NewReader(text))
	require.NoError(t, err)
	without, _, err := audit.Read(strings.NewReader(sound()))
	require.NoError(t, err)
	require.Equal(t, without, h)
	require.Contains(t, notes, "1 request is not judged: without an objectRef, such as discovery and health checks")
}

func TestALineThatIsThereTwice(t *testing.T) {
	once := line(full, "get", "a", "", 70, 80, 200, response(pod("a", 105)))
	_, _, err := audit.Read(strings.NewReader(once + once))
	require.ErrorContains(t, err, "is in the log twice (line 1): leave out one")
}

func TestReadRefuses(t *testing.T) {
	good := line(full, "get", "a", "", 70, 80, 200, response(pod("a", 105)))
	for name, c := range map[string]struct{ was, is, want string }{
		"cut off":       {good[100:], "", "line 1: not JSON"},
		"another kind":  {`"kind":"Event"`, `"kind":"Pod"`, "no audit event"},
		"older version": {"audit.k8s.io/v1", "audit.k8s.io/v1beta1", "line 1: audit.k8s.io/v1beta1 is not known"},
		"level":         {full, "Everything", `line 1: unknown level "Everything"`},
		"clock set":     {`.000080Z`, `.000050Z`, `line 1: "stageTimestamp" is before`},
		"no time":       {`"stageTimestamp":"2026-11-23T08:00:00.000080Z"`, `"x":1`, `line 1: "requestReceivedTimestamp" or "stageTimestamp" is missing`},
		"odd revision":  {`"resourceVersion":"105"`, `"resourceVersion":"x"`, `line 1: the resourceVersion "x" is no revision of etcd`},
		"wrong type":    {`"resourceVersion":"105"`, `"resourceVersion":105`, `line 1: "ResponseObject.Metadata.ResourceVersion" cannot be a number`},
		"no object":     {good, `[]`, `no audit event`},
		"odd URI":       {`"/api`, `"api`, `line 1: "requestURI" is no URI`},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(good, c.was, c.is, 1)
			require.NotEqual(t, good, text)
			_, _, err := audit.Read(strings.NewReader(text))
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// TestObjectsThatAreNotFound: when an object was deleted that a GET does not find, no revision
// tells. It was after the object was written, and before the next answer with a revision.
func TestObjectsThatAreNotFound(t *testing.T) {
	created := line(full, "create", "", "", 10, 20, 201, response(pod("a", 100)))
	deleted := line(full, "delete", "a", "", 30, 40, 200, `"responseObject":{"kind":"Status","status":"Success"}`)
	other := func(revision int) string {
		return line(full, "create", "", "", 50, 60, 201, response(pod("b", revision)))
	}
	read := line(full, "get", "b", "", 70, 80, 200, response(pod("b", 102)))
	for name, c := range map[string]struct {
		text string
		want model.Verdict
	}{
		"deleted":                                      {created + deleted + other(102) + read, model.Holds},
		"found after it was deleted":                   {created + deleted + line(full, "get", "a", "", 70, 80, 200, response(pod("a", 100))), model.Violated},
		"listed after it was deleted":                  {created + deleted + line(full, "list", "", "", 70, 80, 200, pods("PodList", 103, "", pod("a", 100))), model.Violated},
		"made again":                                   {created + deleted + line(full, "get", "a", "", 70, 80, 200, response(pod("a", 103))), model.Holds},
		"no revision is left for it":                   {created + deleted + other(101) + line(full, "get", "b", "", 70, 80, 200, response(pod("b", 101))), model.Violated},
		"not found while it was created, listed later": {line(full, "get", "a", "", 15, 40, 404, "") + created + other(102) + line(full, "list", "", "", 70, 80, 200, pods("PodList", 102, "", pod("a", 100), pod("b", 102))), model.Holds},
		"not found while it was created":               {line(full, "get", "a", "", 15, 40, 404, "") + created + line(full, "get", "a", "", 70, 80, 200, response(pod("a", 100))), model.Holds},
	} {
		t.Run(name, func(t *testing.T) {
			j := judged(t, c.text)
			require.Equal(t, c.want, j.Verdict, "%+v", j)
		})
	}
}
