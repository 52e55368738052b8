package robustness_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/history/robustness"
	"github.com/watchbed/watchbed/model"
)

const (
	writer  = "client-1/operations.json"
	reader  = "client-2/operations.json"
	watcher = "client-3/watch.json"
)

// edited copies the report of testdata, with one text replaced once; what is cut off there.
func edited(t *testing.T, file, was, is string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "report")
	require.NoError(t, os.CopyFS(folder, os.DirFS("testdata/report")))
	if file == "" {
		return folder
	}
	name := filepath.Join(folder, file)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), was), "%s: %s", file, was)
	require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(text), was, is, 1)), 0o600))
	return folder
}

func read(folder string) (*model.History, error) {
	return robustness.Read(folder, func(f *os.File) io.Reader { return f })
}

// judged is the judgement on each property of a report.
func judged(t *testing.T, folder string) map[string]check.Judgement {
	t.Helper()
	h, err := read(folder)
	require.NoError(t, err)
	r, err := check.History(h, check.Options{})
	require.NoError(t, err)
	all := map[string]check.Judgement{}
	for _, j := range r.Judgements {
		all[j.Property] = j
	}
	return all
}

func TestSoundReportHolds(t *testing.T) {
	all := judged(t, "testdata/report")
	for property, exercised := range map[string]int{
		// Three reads without a revision; of the watches, what they were sent.
		"linearizable": 3, "sequential": 2, "ordered": 4, "reliable": 4, "resumable": 2, "bookmarkable": 1, "prevKV": 2,
	} {
		require.Equal(t, model.Holds, all[property].Verdict, property)
		require.Equal(t, exercised, all[property].Exercised, property)
	}
}

func TestOperationsOfAReport(t *testing.T) {
	h, err := read("testdata/report")
	require.NoError(t, err)
	require.Len(t, h.Operations, 11, "all but the defragmentation")
	require.Equal(t, model.Unknown, h.Operations[1].Outcome, "a put with an error may have happened")
	lost := 0
	for _, op := range h.Operations {
		if op.Outcome == model.Unknown {
			lost++
		}
	}
	require.Equal(t, 1, lost, "a read with an error says nothing")
}

// TestCorruptedReports: each has one field that is wrong.
func TestCorruptedReports(t *testing.T) {
	event := `        {
          "Type": "put-operation",
          "Key": "key/b",
          "Value": {
            "Value": "2"
          },
          "Revision": 3,
          "IsCreate": true
        }
`
	for name, c := range map[string]struct{ file, was, is, property string }{
		"stale read":                {reader, "\"Revision\": 5,\n    \"member-id\": \"8e9e05c52164694d\",\n    \"Persisted\": false,\n    \"PersistedRevision\": 0,\n    \"Error\": \"\"\n  },\n  \"Return\": 1400", "\"Revision\": 3,\n    \"member-id\": \"8e9e05c52164694d\",\n    \"Persisted\": false,\n    \"PersistedRevision\": 0,\n    \"Error\": \"\"\n  },\n  \"Return\": 1400", "linearizable"},
		"lost event":                {watcher, event, "", "bookmarkable"},
		"event out of order":        {watcher, "          \"Revision\": 3,\n", "          \"Revision\": 1,\n", "ordered"},
		"event that never happened": {watcher, "          \"Value\": {\n            \"Value\": \"2\"", "          \"Value\": {\n            \"Value\": \"3\"", "reliable"},
		"previous item of another":  {watcher, "            \"ModRevision\": 2,", "            \"ModRevision\": 1,", "prevKV"},
		"revision made twice":       {writer, "    \"Revision\": 4,\n    \"member-id\": \"8e9e05c52164694d\",\n    \"Persisted\": false,\n    \"PersistedRevision\": 0,\n    \"Error\": \"\"\n  },\n  \"Return\"", "    \"Revision\": 5,\n    \"member-id\": \"8e9e05c52164694d\",\n    \"Persisted\": false,\n    \"PersistedRevision\": 0,\n    \"Error\": \"\"\n  },\n  \"Return\"", "linearizable"},
	} {
		t.Run(name, func(t *testing.T) {
			j := judged(t, edited(t, c.file, c.was, c.is))[c.property]
			require.Equal(t, model.Violated, j.Verdict, "%+v", j)
		})
	}
}

// A revoked lease takes its key away, and so may an expired lease.
func TestLeases(t *testing.T) {
	const (
		grant   = `{"ClientId":2,"Input":{"Type":"leaseGrant","LeaseGrant":{"LeaseID":7}},"Call":10,"Output":{"LeaseGrant":{"LeaseID":7},"Revision":1},"Return":20}`
		revoke  = `{"ClientId":2,"Input":{"Type":"leaseRevoke","LeaseRevoke":{"LeaseID":7}},"Call":1700,"Output":{"LeaseRevoke":{},"Revision":6},"Return":1800}`
		refused = `{"ClientId":2,"Input":{"Type":"leaseRevoke","LeaseRevoke":{"LeaseID":7}},"Call":1810,"Output":{"ClientError":"etcdserver: requested lease not found"},"Return":1820}`
		gone    = `{"ClientId":2,"Input":{"Type":"range","Range":{"Start":"key/c"}},"Call":1900,"Output":{"Range":{"Count":0},"Revision":6},"Return":2000}`
		stays   = `{"ClientId":2,"Input":{"Type":"range","Range":{"Start":"key/c"}},"Call":1900,"Output":{"Range":{"Count":1,"KVs":[{"Key":"key/c","Value":{"Hash":684236440},"ModRevision":5,"Version":1}]},"Revision":6},"Return":2000}`
	)
	for name, c := range map[string]struct {
		operations []string
		want       model.Verdict
	}{
		"revoked":                        {[]string{revoke, refused, gone}, model.Holds},
		"revoked, and the key stays":     {[]string{revoke, stays}, model.Violated},
		"expired":                        {[]string{gone}, model.Holds},
		"no write, and a later revision": {[]string{stays}, model.Violated},
		"revoked while nothing changes":  {[]string{strings.Replace(revoke, "6", "5", 1), gone}, model.Violated},
	} {
		t.Run(name, func(t *testing.T) {
			const value = "\"Value\": \"a value of more than twenty bytes\"\n            },\n            \"LeaseID\": "
			folder := edited(t, writer, value+"0", value+"7")
			file := filepath.Join(folder, reader)
			recorded, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, []byte(grant+string(recorded)+strings.Join(c.operations, "\n")), 0o600))
			j := judged(t, folder)["linearizable"]
			require.Equal(t, c.want, j.Verdict, "%+v", j)
		})
	}
}

func TestBadReports(t *testing.T) {
	for name, c := range map[string]struct{ file, was, is, want string }{
		"cut off":            {watcher, "  ]\n}\n{\n  \"Request\": {\n    \"Key\": \"key/\"", "  ]\n}\n{\n  \"Request\": {\n    \"Key\": \"", "watch.json: line"},
		"no JSON":            {reader, "  \"Call\": 610,", "  \"Call\" 610,", "operations.json: line 106: not JSON"},
		"later field":        {reader, "  \"Call\": 610,", "  \"Call\": 610, \"Surprise\": 1,", `operations.json: line 89: unknown field "Surprise"`},
		"wrong type":         {reader, "  \"Call\": 610,", "  \"Call\": \"610\",", "operations.json: line 89: \"Call\" cannot be a string"},
		"unknown request":    {writer, `"Type": "defragment"`, `"Type": "snapshot"`, `unknown Type of Input "snapshot"`},
		"unknown refusal":    {writer, "\"ClientError\": \"mvcc: required revision is a future revision\",\n    \"Revision\": 0,\n    \"member-id\": \"8e9e05c52164694d\",\n    \"Persisted\": false,\n    \"PersistedRevision\": 0,\n    \"Error\": \"\"\n  },\n  \"Return\"", "\"ClientError\": \"no\",\n    \"Revision\": 0,\n    \"member-id\": \"8e9e05c52164694d\",\n    \"Persisted\": false,\n    \"PersistedRevision\": 0,\n    \"Error\": \"\"\n  },\n  \"Return\"", `unknown ClientError "no"`},
		"call behind return": {reader, "  \"Return\": 600,", "  \"Return\": 500,", `operations.json: line 1: "call" 500 is not before "return" 500`},
		"unknown event":      {watcher, "          \"Type\": \"put-operation\",\n          \"Key\": \"key/b\"", "          \"Type\": \"noop\",\n          \"Key\": \"key/b\"", `watch.json: line 1: unknown Type of an event "noop"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(edited(t, c.file, c.was, c.is))
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
	folder := edited(t, "", "", "")
	name := filepath.Join(folder, watcher)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, []byte("no more\n"+string(text)), 0o600))
	_, err = read(folder)
	require.ErrorContains(t, err, "watch.json: line 1: not JSON")
	_, err = read(t.TempDir())
	require.ErrorContains(t, err, "no client-N")
}
