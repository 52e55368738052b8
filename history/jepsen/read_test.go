package jepsen_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/history/jepsen"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
)

// oldLog is in the manner of the logs of 2014.
const oldLog = `INFO  jepsen.util - 0	:invoke	:read	nil
INFO  jepsen.util - 0	:ok	:read	nil
INFO  jepsen.util - 1	:invoke	:write	3
INFO  jepsen.util - 0	:invoke	:cas	[3 4]
INFO  jepsen.util - 1	:ok	:write	3
INFO  jepsen.util - 0	:ok	:cas	[3 4]
INFO  jepsen.util - 2	:invoke	:write	1
INFO  jepsen.util - 2	:info	:write	:timed-out
INFO  jepsen.util - 1	:invoke	:cas	[3 2]
INFO  jepsen.util - 1	:fail	:cas	[3 2]
INFO  jepsen.util - 1	:invoke	:read	nil
INFO  jepsen.util - 1	:ok	:read	1
INFO  jepsen.util - 0	:invoke	:read	nil
INFO  jepsen.util - 0	:fail	:read	:timed-out
`

// oneRegister has versions, a write that was lost, and the line of a nemesis.
const oneRegister = `{:index 0, :time 10, :type :invoke, :process 0, :f :write, :value [7 [nil 3]]}
{:index 1, :time 11, :type :info, :process :nemesis, :f :kill, :value nil}
{:index 2, :time 12, :type :ok, :process 0, :f :write, :value [7 [1 3]]}
{:index 3, :time 13, :type :invoke, :process 1, :f :cas, :value [7 [nil [3 4]]]}
{:index 4, :time 14, :type :ok, :process 1, :f :cas, :value [7 [2 [3 4]]]}
{:index 5, :time 15, :type :invoke, :process 0, :f :write, :value [7 [nil 5]]}
{:index 6, :time 16, :type :info, :process 0, :f :write, :value [7 [nil 5]], :error [:timeout nil]}
{:index 7, :time 17, :type :invoke, :process 1, :f :cas, :value [7 [nil [0 1]]]}
{:index 8, :time 18, :type :fail, :process 1, :f :cas, :value [7 [nil [0 1]]], :error :did-not-succeed}
{:index 9, :time 19, :type :invoke, :process 2, :f :read, :value [7 [nil nil]]}
{:index 10, :time 20, :type :ok, :process 2, :f :read, :value [7 [3 5]]}
{:index 11, :time 21, :type :invoke, :process 2, :f :read, :value [7 [nil nil]]}
{:index 12, :time 22, :type :ok, :process 2, :f :read, :value [7 [3 5]]}
`

// failedComparison comes behind oneRegister.
const failedComparison = `{:type :invoke, :process 2, :f :cas, :value [7 [nil [4 1]]]}
{:type :fail, :process 2, :f :cas, :value [7 [nil [4 1]]], :error :did-not-succeed}
`

const twoRegisters = `#jepsen.history.Op{:index 0, :type :invoke, :process 0, :f :write, :value [1 [nil 3]]}
#jepsen.history.Op{:index 1, :type :ok, :process 0, :f :write, :value [1 [1 3]]}
#jepsen.history.Op{:index 2, :type :invoke, :process 1, :f :read, :value [2 [nil nil]]}
#jepsen.history.Op{:index 3, :type :ok, :process 1, :f :read, :value [2 [nil nil]]}
#jepsen.history.Op{:index 4, :type :invoke, :process 1, :f :read, :value [1 [nil nil]]}
#jepsen.history.Op{:index 5, :type :ok, :process 1, :f :read, :value [1 [1 3]]}
`

const elementsOfASet = `{:type :invoke, :process 0, :f :add, :value 0}
{:type :ok, :process 0, :f :add, :value 0}
{:type :invoke, :process 1, :f :add, :value 1}
{:type :info, :process 1, :f :add, :value 1, :error [:timeout nil]}
{:type :invoke, :process 0, :f :add, :value 10}
{:type :fail, :process 0, :f :add, :value 10, :error [:unavailable nil]}
{:type :invoke, :process 2, :f :read, :value nil}
{:type :ok, :process 2, :f :read, :value #{1 0}}
{:type :invoke, :process 2, :f :read, :value nil}
{:type :ok, :process 2, :f :read, :value #{0 1}}
`

const appends = `{:type :invoke, :process 0, :f :txn, :value [[:append 1 1] [:r 2 nil]]}
{:type :ok, :process 0, :f :txn, :value [[:append 1 1] [:r 2 nil]]}
{:type :invoke, :process 0, :f :txn, :value [[:append 1 2] [:r 1 nil]]}
{:type :ok, :process 0, :f :txn, :value [[:append 1 2] [:r 1 [1 2]]]}
{:type :invoke, :process 1, :f :txn, :value [[:append 2 5]]}
{:type :fail, :process 1, :f :txn, :value [[:append 2 5]], :error :didn't-succeed}
{:type :invoke, :process 1, :f :txn, :value [[:r 1 nil] [:r 2 nil]]}
{:type :ok, :process 1, :f :txn, :value [[:r 1 [1 2]] [:r 2 nil]]}
`

const writesAndReads = `{:type :invoke, :process 0, :f :txn, :value [[:w 1 1] [:r 2 nil]]}
{:type :ok, :process 0, :f :txn, :value [[:w 1 1] [:r 2 nil]]}
{:type :invoke, :process 1, :f :txn, :value [[:r 1 nil]]}
{:type :ok, :process 1, :f :txn, :value [[:r 1 1]]}
`

const watched = `{:type :invoke, :process 0, :f :write, :value 0}
{:type :ok, :process 0, :f :write, :value 0}
{:type :invoke, :process 1, :f :watch, :value nil}
{:type :invoke, :process 0, :f :write, :value 1}
{:type :ok, :process 0, :f :write, :value 1}
{:type :ok, :process 1, :f :watch, :value {:revision 3, :events [{:header {:revision 2}, :events ({:type :put, :kv ["w" {:value 0, :version 1, :create-revision 2, :mod-revision 2}], :prev-kv [nil {:value nil}]})} {:header {:revision 3}, :events ({:type :put, :kv ["w" {:value 1, :version 2, :create-revision 2, :mod-revision 3}]})}], :log [0 1]}}
{:type :invoke, :process 0, :f :write, :value 2}
{:type :ok, :process 0, :f :write, :value 2}
{:type :invoke, :process 1, :f :watch, :value nil}
{:type :ok, :process 1, :f :watch, :value {:revision 4, :events [{:header {:revision 4}, :events ({:type :put, :kv ["w" {:value 2, :version 3, :create-revision 2, :mod-revision 4}]})}], :log [2]}}
{:type :invoke, :process 2, :f :final-watch, :value nil}
{:type :ok, :process 2, :f :final-watch, :value {:revision 4, :events [{:events ({:type :put, :kv ["w" {:value 1, :mod-revision 3}]})} {:events ({:type :put, :kv ["w" {:value 2, :mod-revision 4}]})}], :log [0 1 2]}}
`

func judged(t *testing.T, text string) map[string]check.Judgement {
	t.Helper()
	h, _, err := jepsen.Read(strings.NewReader(text))
	require.NoError(t, err)
	r, err := check.History(h, check.Options{})
	require.NoError(t, err)
	all := map[string]check.Judgement{}
	for _, j := range r.Judgements {
		all[j.Property] = j
	}
	return all
}

// TestHistories: each holds, and is violated when one field is corrupted.
func TestHistories(t *testing.T) {
	for name, c := range map[string]struct {
		text      string
		property  string
		exercised int
		was, is   string
	}{
		"log, stale read":                  {oldLog, "linearizable", 1, "1\t:ok\t:read\t1", "1\t:ok\t:read\t3"},
		"log, cas that should have failed": {oldLog, "linearizable", 1, "1\t:fail\t:cas", "1\t:ok\t:cas"},
		"versions, failed comparison":      {oneRegister + failedComparison, "linearizable", 2, "[7 [nil [4 1]]]", "[7 [nil [5 1]]]"},
		"versions, stale read":             {oneRegister, "linearizable", 2, ":index 12, :time 22, :type :ok, :process 2, :f :read, :value [7 [3 5]]", ":index 12, :time 22, :type :ok, :process 2, :f :read, :value [7 [2 4]]"},
		"versions, made twice":             {oneRegister, "linearizable", 2, "[2 [3 4]]", "[1 [3 4]]"},
		"versions, right value of another": {oneRegister, "linearizable", 2, ":index 12, :time 22, :type :ok, :process 2, :f :read, :value [7 [3 5]]", ":index 12, :time 22, :type :ok, :process 2, :f :read, :value [7 [4 5]]"},
		"two registers, stale read":        {twoRegisters, "linearizable", 2, ":index 5, :type :ok, :process 1, :f :read, :value [1 [1 3]]", ":index 5, :type :ok, :process 1, :f :read, :value [1 [1 4]]"},
		"set, lost element":                {elementsOfASet, "linearizable", 2, "#{0 1}", "#{0}"},
		"set, element that failed":         {elementsOfASet, "linearizable", 2, "#{0 1}", "#{0 1 10}"},
		"append, lost element":             {appends, "linearizable", 2, ":value [[:r 1 [1 2]] [:r 2 nil]]", ":value [[:r 1 [2]] [:r 2 nil]]"},
		"append, element that failed":      {appends, "linearizable", 2, ":value [[:r 1 [1 2]] [:r 2 nil]]", ":value [[:r 1 [1 2]] [:r 2 [5]]]"},
		"wr, stale read":                   {writesAndReads, "linearizable", 1, "[[:r 1 1]]", "[[:r 1 nil]]"},
		"watch, lost event":                {watched, "resumable", 2, `({:type :put, :kv ["w" {:value 0, :version 1, :create-revision 2, :mod-revision 2}], :prev-kv [nil {:value nil}]})`, "()"},
		"watch, event out of order":        {watched, "ordered", 2, ":create-revision 2, :mod-revision 2}", ":create-revision 2, :mod-revision 5}"},
		"watch, event of another value":    {watched, "reliable", 2, `{:value 1, :mod-revision 3}`, `{:value 7, :mod-revision 3}`},
		"watch, gap between two":           {watched, "resumable", 2, `:f :watch, :value {:revision 3`, `:f :watch, :value {:revision 4`},
	} {
		t.Run(name, func(t *testing.T) {
			j := judged(t, c.text)[c.property]
			require.Equal(t, model.Holds, j.Verdict, "%+v", j)
			require.Equal(t, c.exercised, j.Exercised)
			text := strings.Replace(c.text, c.was, c.is, 1)
			require.NotEqual(t, c.text, text)
			j = judged(t, text)[c.property]
			require.Equal(t, model.Violated, j.Verdict, "%+v", j)
		})
	}
}

// TestVectors: the history.edn of older tests is one vector, on a line or on many, and people write
// comments into it.
func TestVectors(t *testing.T) {
	stale := strings.Replace(oneRegister, ":index 12, :time 22, :type :ok, :process 2, :f :read, :value [7 [3 5]]", ":index 12, :time 22, :type :ok, :process 2, :f :read, :value [7 [2 4]]", 1)
	for name, vector := range map[string]func(maps string) string{
		"one line": func(maps string) string { return "[" + strings.ReplaceAll(maps, "\n", " ") + "]" },
		"pretty":   func(maps string) string { return "\ufeff[" + strings.ReplaceAll(maps, ", :", "\n  :") + "]\n" },
		"comments": func(maps string) string {
			return "; of 2016\n\n[ ; a register\n" + strings.ReplaceAll(maps, "}\n", "} ; }\n") + "]"
		},
		"taken away":    func(maps string) string { return "[#_{:index 0} " + maps + "#_#_1 2 ]" },
		"no vector":     func(maps string) string { return strings.ReplaceAll(maps, "\n", "") },
		"space in maps": func(maps string) string { return strings.ReplaceAll(maps, "{:index", "{ :index") },
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, jepsen.Begins(strings.TrimPrefix(vector(oneRegister), "\ufeff")))
			j := judged(t, vector(oneRegister))["linearizable"]
			require.Equal(t, model.Holds, j.Verdict, "%+v", j)
			require.Equal(t, 2, j.Exercised)
			require.Equal(t, model.Violated, judged(t, vector(stale))["linearizable"].Verdict)
		})
	}
}

// goodRegister is a test of one register that is right, as a log or with maps: each operation happens at one
// moment between its two lines, or in no moment if it fails, for whatever reason, or is of unknown outcome.
func goodRegister(rng *rand.Rand, operations int) string {
	type running struct {
		process, f, value string
		ended             string
	}
	var text strings.Builder
	asMaps := rng.IntN(2) == 0
	line := func(kind string, r *running, value, failed string) {
		switch {
		case asMaps && failed != "":
			fmt.Fprintf(&text, "{:process %s, :type :%s, :f :%s, :value %s, :error %s}\n", r.process, kind, r.f, value, failed)
		case asMaps:
			fmt.Fprintf(&text, "{:process %s, :type :%s, :f :%s, :value %s}\n", r.process, kind, r.f, value)
		default:
			fmt.Fprintf(&text, "INFO  jepsen.util - %s\t:%s\t:%s\t%s\n", r.process, kind, r.f, value)
		}
	}
	register, next := "nil", 5
	processes := []string{"0", "1", "2", "3", "4"}
	open := make([]*running, len(processes))
	// late are operations of unknown outcome that may still happen.
	var late []*running
	value := func() string { return strconv.Itoa(rng.IntN(5)) }
	happen := func(r *running) (did bool) {
		switch from, to, _ := strings.Cut(strings.Trim(r.value, "[]"), " "); {
		case r.f == "write":
			register = r.value
		case r.f == "cas" && register != from:
			return false
		case r.f == "cas":
			register = to
		}
		return true
	}
	for operations > 0 || slices.ContainsFunc(open, func(r *running) bool { return r != nil }) {
		if n := rng.IntN(8); n < len(late) {
			happen(late[n])
			late = slices.Delete(late, n, n+1)
			continue
		}
		i := rng.IntN(len(processes))
		switch r := open[i]; {
		case r == nil && operations > 0:
			operations--
			r = &running{process: processes[i], f: []string{"read", "write", "cas"}[rng.IntN(3)], value: "nil"}
			if r.f == "write" {
				r.value = value()
			} else if r.f == "cas" {
				r.value = "[" + value() + " " + value() + "]"
			}
			line("invoke", r, r.value, "")
			open[i] = r
		case r == nil:
		case r.ended == "":
			switch n := rng.IntN(20); {
			case n == 0:
				r.ended = "info"
				if rng.IntN(2) == 0 {
					late = append(late, r)
				}
			case n < 3:
				// An election, a full disk: the reason is not always told.
				r.ended = "fail"
			case !happen(r):
				r.ended = "compared"
			default:
				r.ended = "ok"
				if r.f == "read" {
					r.value = register
				}
			}
		default:
			failed := ""
			switch r.ended {
			case "info":
				line("info", r, r.value, ":timed-out")
				processes[i], next = strconv.Itoa(next), next+1
			case "compared":
				if rng.IntN(2) == 0 {
					failed = ":did-not-succeed"
				}
				line("fail", r, r.value, failed)
			default:
				line(r.ended, r, r.value, "")
			}
			open[i] = nil
		}
	}
	return text.String()
}

// TestGoodRegistersHold: what a register does that is right holds, whatever fails.
func TestGoodRegistersHold(t *testing.T) {
	n := uint64(testsize.Of(3000, 600, 100))
	for seed := range n {
		text := goodRegister(rand.New(rand.NewPCG(seed, 1)), 10+int(seed%80))
		for property, j := range judged(t, text) {
			require.Contains(t, []model.Verdict{model.Holds, model.Vacuous}, j.Verdict, "seed %d, %s: %s\n%s", seed, property, j.Reason, text)
		}
	}
}

func TestNotes(t *testing.T) {
	for text, want := range map[string]string{oneRegister: "version 1 is taken as revision 2", twoRegisters: "versions", appends: "order of elements"} {
		_, notes, err := jepsen.Read(strings.NewReader(text))
		require.NoError(t, err)
		require.Len(t, notes, 1)
		require.Contains(t, notes[0], want)
	}
}

// TestLogsOfEachLogger: the lines of an operation are told from those of everything else that
// Jepsen logs.
func TestLogsOfEachLogger(t *testing.T) {
	console := "INFO [2017-03-30 22:26:45,301] jepsen node n1 - jepsen.os.debian :n1 setting up debian\n"
	file := "2023-03-30 22:26:45,301{GMT}\tINFO\t[jepsen test runner] jepsen.core: Running test:\n{:name \"etcd\"}\n"
	for line := range strings.Lines(oldLog) {
		columns := strings.TrimPrefix(line, "INFO  jepsen.util - ")
		console += "INFO [2017-03-30 22:26:45,322] jepsen worker 4 - jepsen.util " + columns
		file += "2023-03-30 22:26:45,322{GMT}\tINFO\t[jepsen worker 4] jepsen.util: " + columns
	}
	file += "2023-03-30 22:26:46,000{GMT}\tINFO\t[jepsen worker 4] jepsen.util: Waiting for the cluster to settle\n"
	console += "WARN [2017-03-30 22:38:51,936] jepsen worker 1 - jepsen.core Process 1 indeterminate\n" +
		"clojure.lang.ExceptionInfo: throw+: {:errorCode 100}\n  at slingshot.support$stack_trace.invoke(support.clj:201)\n" +
		"INFO [2017-03-30 22:38:52,000] jepsen nemesis - jepsen.util :nemesis\t:info\t:start\tnil\n"
	want, _, err := jepsen.Read(strings.NewReader(oldLog))
	require.NoError(t, err)
	for _, log := range []string{console, file, "\ufeff" + file} {
		first, _, _ := strings.Cut(strings.TrimPrefix(log, "\ufeff"), "\n")
		require.True(t, jepsen.Begins(first), first)
		h, _, err := jepsen.Read(strings.NewReader(log))
		require.NoError(t, err)
		require.Equal(t, len(want.Operations), len(h.Operations))
		require.Equal(t, model.Holds, judged(t, log)["linearizable"].Verdict)
		require.Equal(t, model.Violated, judged(t, strings.Replace(log, "1\t:ok\t:read\t1", "1\t:ok\t:read\t3", 1))["linearizable"].Verdict)
	}
}

func TestUnknownOutcomes(t *testing.T) {
	h, _, err := jepsen.Read(strings.NewReader(oldLog + "INFO  jepsen.util - 5\t:invoke\t:write\t9\n"))
	require.NoError(t, err)
	var unknown, failed int
	for _, op := range h.Operations {
		switch op.Outcome {
		case model.Unknown:
			unknown++
		case model.Failed:
			failed++
		}
	}
	require.Equal(t, 2, unknown, "the write that timed out, and the one that did not end")
	require.Equal(t, 2, failed, "the cas and the read")
}

func TestReadRefuses(t *testing.T) {
	invoke := "{:type :invoke, :process 0, :f :read, :value nil}\n"
	for name, c := range map[string]struct{ text, want string }{
		"nothing":            {"", "line 1: no process does anything"},
		"cut off":            {invoke[:20], "line 1: the EDN ends too early"},
		"columns behind":     {"0\t:invoke\t:read\tnil\t:timeout 7\n", `line 1: more than process, type, f, value and error: "7" follows`},
		"cut off vector":     {"[" + invoke + "\n", "line 3: the EDN ends too early"},
		"not UTF-8":          {invoke + "{:type :ok, :process 0, :f :read, :value \"\xff\"}", "line 2: not valid UTF-8"},
		"no type":            {"{:process 0, :f :read}", "line 1: :type is missing"},
		"unknown type":       {"{:process 0, :type :maybe, :f :read}", `line 1: unknown :type "maybe"`},
		"unknown workload":   {"{:process 0, :type :invoke, :f :lock}", `line 1: unknown :f "lock"`},
		"two at once":        {invoke + invoke, "line 2: process 0 invokes read before its read of line 1 has ended"},
		"end of nothing":     {"{:process 0, :type :ok, :f :read}", "line 1: process 0 ends a read that it has not invoked"},
		"end of another":     {invoke + "{:process 0, :type :ok, :f :write}", "line 2: process 0 has invoked a read in line 1, and ends a write"},
		"odd map":            {"{:process}", "line 1: the map that ends at byte 10 has a key without a value"},
		"stray bracket":      {"{:process ]}", `line 1: "]" at byte 11 closes nothing`},
		"columns":            {"INFO  jepsen.util - 0\t:invoke", "line 1: want the columns"},
		"cas of one":         {"0\t:invoke\t:cas\t3\n", "line 1: the value of a cas is the old and the new value"},
		"steps that differ":  {strings.Replace(writesAndReads, ":value [[:r 1 1]]", ":value [[:r 2 1]]", 1), "line 4: step 1 of the transaction ends as [r 2 1], and began as [r 1 nil]"},
		"watch without mods": {strings.Replace(watched, ":mod-revision 2", ":mod-revision x", 1), "line 6: the :mod-revision of an event: x is no number"},
		"long":               {"0\t:invoke\t:read\tnil\n" + strings.Repeat(" ", history.MaxLineBytes+1), "line 2: longer than 16777216 bytes: leave out the two lines of the operation"},
		"deep":               {strings.Repeat("{:a ", 200), "line 1: values are nested too deep"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := jepsen.Read(strings.NewReader(c.text))
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}
