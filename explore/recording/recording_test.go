package recording_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/option"
)

func newCounter() explore.Subject      { return toys.NewCounter() }
func newTimedCounter() explore.Subject { return toys.NewTimedCounter() }

// failing records the first run of the counter that loses an update.
func failing(t testing.TB, r *explore.Runner) *recording.Recording {
	t.Helper()
	for seed := range uint64(1000) {
		rec, res := recording.RecordSeed(r, strategy.Default(), seed)
		if res.Findings[0].Verdict == model.Violated {
			rec.Tool, rec.Scenario = "test 1", "counter"
			rec.Parameters = []option.Setting{{Name: "clients", Value: "5"}, {Name: "bugs"}}
			return rec
		}
	}
	t.Fatal("no seed loses an update")
	return nil
}

func TestRecordingComesBackAsItWas(t *testing.T) {
	rec := failing(t, explore.NewRunner(newCounter(), 0))
	var buf bytes.Buffer
	_, err := rec.WriteTo(&buf)
	require.NoError(t, err)
	back, err := recording.Read(&buf, "replay.json")
	require.NoError(t, err)
	require.Equal(t, rec, back)
	require.Equal(t, []explore.Failure{{Property: "counts", Label: "lost update"}}, back.Violations())
	require.Contains(t, rec.Findings[0].Why, "updates lost")
	_, err = rec.WriteTo(&buf)
	require.NoError(t, err)
	back, err = recording.Read(io.MultiReader(strings.NewReader("\ufeff"), &buf), "replay.json")
	require.NoError(t, err)
	require.Equal(t, rec, back, "behind a byte order mark")
}

func TestBadRecordingsAreRefusedInOneLine(t *testing.T) {
	rec := failing(t, explore.NewRunner(newCounter(), 0))
	var buf bytes.Buffer
	_, err := rec.WriteTo(&buf)
	require.NoError(t, err)
	good := buf.String()
	change := func(old, new string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, new, 1)
	}
	choice := `"` + rec.Choices[2] + `"`
	for name, c := range map[string]struct{ text, want string }{
		"empty":        {"", "the file is empty"},
		"not JSON":     {"hello", "line 1: invalid character 'h'"},
		"another JSON": {`{"hello":1}`, "not a recording: it has no format version"},
		"an array":     {`[1]`, "a recording is a JSON object"},
		"null":         {`null`, "not a recording"},
		"later":        {change(`"format": 1`, `"format": 2, "spin": 1`), "format 2 was written by a later version; this one reads up to 1"},
		"truncated":    {good[:len(good)/2], "unexpected end of JSON input"},
		"trailing":     {good + "{}", "after top-level value"},
		"unknown":      {change(`"seed"`, `"sed"`), `unknown field "sed"`},
		"seed":         {change(`"seed": `, `"seed": -1`), "line "},
		"hash":         {change(rec.TraceHash.String(), "xyz"), `a trace hash has 16 hexadecimal digits, not "xyz"`},
		"no hash":      {change("\n \"traceHash\": \""+rec.TraceHash.String()+"\",", ""), "it has no traceHash"},
		"null hash":    {change(`"`+rec.TraceHash.String()+`"`, "null"), "it has no traceHash"},
		"no seed":      {change(`"seed": `+fmt.Sprint(rec.Seed)+",", ""), "it has no seed"},
		"verdict":      {change(`"violated"`, `"meh"`), `finding 1: there is no verdict "meh"`},
		"no property":  {change(`"property": "counts"`, `"property": ""`), "finding 1: property: it is empty"},
		"no tool":      {change(`"test 1"`, `""`), "tool: it is empty"},
		"kind":         {change(choice, "3"), "line "},
		"verb":         {change(choice, `"jump high"`), "choice 3: it does not begin with deliver, fire, run, inject or choose"},
		"empty choice": {change(choice, `""`), "choice 3: it is empty"},
		"long choice":  {change(choice, `"run `+strings.Repeat("x", 2000)+`"`), "choice 3: it is longer than 1000 bytes"},
		"two lines":    {change(choice, `"run a\nb"`), "choice 3: it is not plain text"},
		"no answer":    {change(choice, `"choose a b"`), `choice 3: "choose a b" lacks an answer such as =0/2`},
		"bad answer":   {change(choice, `"choose a b=2/2"`), `choice 3: "=2/2" is not an answer such as =0/2`},
		"huge answer":  {change(choice, `"choose a b=2/99999999"`), "is not an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := recording.Read(strings.NewReader(c.text), "replay.json")
			require.ErrorContains(t, err, c.want)
			require.True(t, strings.HasPrefix(err.Error(), "replay.json: "), err)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// endless is a file that does not end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

func TestHugeRecordingIsRefused(t *testing.T) {
	_, err := recording.Read(endless{}, "replay.json")
	require.EqualError(t, err, "replay.json: larger than 64 MiB")
}

func TestCreateNeverOverwrites(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "simrun-failures")
	rec := failing(t, explore.NewRunner(newCounter(), 0))
	path, err := rec.Create(dir)
	require.NoError(t, err)
	require.Equal(t, "counts-lost-update-"+rec.TraceHash.String()[:8]+".json", filepath.Base(path))
	again, err := rec.Create(dir)
	require.NoError(t, err)
	require.Equal(t, path, again, "the same contents are not written twice")
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	rec.Seed++
	other, err := rec.Create(dir)
	require.NoError(t, err)
	require.NotEqual(t, path, other)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	back, err := recording.Open(other)
	require.NoError(t, err)
	require.Equal(t, rec, back)
	_, err = recording.Open(filepath.Join(dir, "none.json"))
	require.ErrorContains(t, err, "none.json")
}

// FuzzReadRecording: whatever comes in, no panic, one line of error, and what is
// accepted is written and read again as it is.
func FuzzReadRecording(f *testing.F) {
	r := explore.NewRunner(newCounter(), 0)
	rec := failing(f, r)
	var buf bytes.Buffer
	if _, err := rec.WriteTo(&buf); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Add(buf.Bytes()[:100])
	f.Add([]byte(`{"format":1,"tool":"t","scenario":"s","strategy":"x","traceHash":"0000000000000000","choices":["run a b","choose a b=0/2","inject x"]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		rec, err := recording.Read(bytes.NewReader(b), "f")
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("more than one line: %q", err)
			}
			return
		}
		var out bytes.Buffer
		if _, err := rec.WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		if _, err := recording.Read(&out, "f"); err != nil {
			t.Fatalf("what was accepted is refused when written again: %v", err)
		}
		if len(rec.Choices) < 1000 {
			if _, err := recording.Replay(r, rec); err != nil && strings.Contains(err.Error(), "\n") {
				t.Fatalf("more than one line: %q", err)
			}
			follower, err := recording.NewFollower(rec)
			if err != nil {
				t.Fatal(err)
			}
			r.Run(follower)
		}
	})
}
