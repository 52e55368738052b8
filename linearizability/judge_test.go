package linearizability

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// parse reads a history from lines of a test.
func parse(t testing.TB, lines ...string) *model.History {
	t.Helper()
	h, err := history.Read(strings.NewReader(strings.Join(lines, "\n")))
	require.NoError(t, err)
	return h
}

const (
	start = `{"format":"watchbed-history","version":1,"initial":{"revision":2,"items":[{"key":"a","value":"old","create":2,"mod":2,"version":1}]}}`
	// putA makes revision 3 from 1 to 2, deleteA revision 4 from 3 to 4.
	putA    = `{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a","value":"new"},"response":{"revision":3}}`
	deleteA = `{"client":"w","op":"delete","call":3,"return":4,"request":{"key":"a"},"response":{"revision":4,"deleted":1}}`
	putB    = `{"client":"w","op":"put","call":5,"return":6,"request":{"key":"b","value":"new"},"response":{"revision":4}}`
	oldA    = `{"key":"a","value":"old","create":2,"mod":2,"version":1}`
	newA    = `{"key":"a","value":"new","create":2,"mod":3,"version":2}`
)

// list is a LIST of everything by client r.
func list(call int, request string, rev int, items ...string) string {
	return listBy("r", call, request, rev, items...)
}

func listBy(client string, call int, request string, rev int, items ...string) string {
	if request != "" {
		request = "," + request
	}
	return fmt.Sprintf(`{"client":"%s","op":"list","call":%d,"return":%d,"server":"cache-0","request":{"key":"a","end":"z"%s},"response":{"revision":%d,"items":[%s]}}`,
		client, call, call+1, request, rev, strings.Join(items, ","))
}

func TestJudgements(t *testing.T) {
	const anyRV, notOlder = `"freshness":"any"`, `"freshness":"not-older-than","revision":3`
	for name, tc := range map[string]struct {
		lines     []string
		property  Property
		verdict   model.Verdict
		exercised int
		anomaly   Anomaly
		sentence  string
	}{
		"a fresh list": {
			[]string{start, putA, list(10, "", 3, newA)},
			Linearizable, model.Holds, 1, "", "",
		},
		"a limit among items that sort alike": {
			[]string{start, strings.ReplaceAll(putA, `"a"`, `"b"`), `{"client":"r","op":"list","call":10,"return":11,"request":{"key":"a","end":"z","limit":1,"selection":{"sortBy":"version"}},` +
				`"response":{"revision":3,"more":true,"count":2,"items":[{"key":"b","value":"new","create":3,"mod":3,"version":1}]}}`},
			Linearizable, model.Holds, 1, "", "",
		},
		"a wrong value among items that sort alike": {
			[]string{start, strings.ReplaceAll(putA, `"a"`, `"b"`), list(10, `"selection":{"sortBy":"version"}`, 3,
				`{"key":"b","value":"new","create":3,"mod":3,"version":1}`, `{"key":"a","value":"other","create":2,"mod":2,"version":1}`)},
			Linearizable, model.Violated, 1, Corrupt,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 3; it shows key "a" as "other" (create 2, mod 2, version 1), but the write of revision 2 left "old" (create 2, mod 2, version 1)`,
		},
		"a list while the write goes on": {
			[]string{start, strings.Replace(putA, `"return":2`, `"return":20`, 1), list(10, "", 2, oldA)},
			Linearizable, model.Vacuous, 0, "", "",
		},
		"equal readings are concurrent": {
			[]string{start, strings.Replace(putA, `"return":2`, `"return":10`, 1), list(10, "", 2, oldA)},
			Linearizable, model.Vacuous, 0, "", "",
		},
		"a stale list": {
			[]string{start, putA, list(10, "", 2, oldA)},
			Linearizable, model.Violated, 1, Missing,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 2, but the put of "a" by w (called at 1, answered at 2) had made revision 3 before; ` +
				`key "a" is "old" of revision 2 in it, but was set to "new" at revision 3 by the put of "a" by w (called at 1, answered at 2)`,
		},
		"a list stale by what another reader saw": {
			[]string{start, strings.Replace(putA, `"return":2`, `"return":20`, 1), listBy("s", 5, "", 3, newA), list(10, "", 2, oldA)},
			Linearizable, model.Violated, 1, Missing,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 2, but the list of "a" by s (called at 5, answered at 6) had seen revision 3 before; ` +
				`key "a" is "old" of revision 2 in it, but was set to "new" at revision 3 by the put of "a" by w (called at 1, answered at 20)`,
		},
		"a list that shows what was deleted": {
			[]string{start, putA, deleteA, list(10, "", 4, newA)},
			Linearizable, model.Violated, 1, Ghost,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 4; ` +
				`it shows key "a" as "new" of revision 3, which was deleted at revision 4 by the delete of "a" by w (called at 3, answered at 4)`,
		},
		"a list that shows an item that was never written": {
			[]string{start, putA, list(10, "", 3, newA, `{"key":"b","value":"x","mod":3}`)},
			Linearizable, model.Violated, 1, Ghost,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 3; it shows key "b" as "x" of revision 3, but revision 3 was made by the put of "a" by w (called at 1, answered at 2), which did not write it`,
		},
		"a list that shows what is not in its range": {
			[]string{start, putA, strings.Replace(list(10, "", 3, newA, `{"key":"b","value":"x","mod":3}`), `"end":"z"`, `"end":"b"`, 1)},
			Linearizable, model.Violated, 1, Foreign,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 3; it shows key "b", which is not in the range that it asked for`,
		},
		"a value that no write set, without revisions": {
			[]string{start, strings.Replace(putA, `"revision":3`, `"deleted":0`, 1), `{"client":"r","op":"get","call":10,"return":11,"request":{"key":"a"},"response":{"items":[{"key":"a","value":"7"}]}}`},
			Linearizable, model.Violated, 1, Missing,
			`the get of "a" by r (called at 10, answered at 11) fits no revision that it may show, but the put of "a" by w (called at 1, answered at 2) had made revision 3 before; it shows key "a" as "7", and no write set it to that`,
		},
		"a list ahead of its revision": {
			[]string{start, strings.Replace(putA, `"return":2`, `"return":20`, 1), list(10, "", 2, newA)},
			Linearizable, model.Violated, 0, Premature,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 2; it shows key "a" as of revision 3, which is newer than the answer`,
		},
		"a list with a wrong value": {
			[]string{start, putA, list(10, "", 3, strings.Replace(newA, "new", "bad", 1))},
			Linearizable, model.Violated, 1, Corrupt,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 3; it shows key "a" as "bad" (create 2, mod 3, version 2), ` +
				`but the write of revision 3 by the put of "a" by w (called at 1, answered at 2) left "new" (create 2, mod 3, version 2)`,
		},
		"create and version may be missing": {
			[]string{start, putA, list(10, "", 3, `{"key":"a","value":"new","mod":3}`)},
			Linearizable, model.Holds, 1, "", "",
		},
		"a count that is wrong": {
			[]string{start, putA, strings.Replace(list(10, `"countOnly":true`, 3), `"items":[]`, `"count":2`, 1)},
			Linearizable, model.Violated, 1, Miscounted,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 3; its items are right, its count or its "more" is not`,
		},
		"a page that does not tell its count": {
			[]string{start, putA, putB, strings.Replace(list(10, `"limit":1`, 4, newA), `"items"`, `"more":true,"items"`, 1)},
			Linearizable, model.Holds, 1, "", "",
		},
		"a page that tells a wrong count": {
			[]string{start, putA, putB, strings.Replace(list(10, `"limit":1`, 4, newA), `"items"`, `"more":true,"count":1,"items"`, 1)},
			Linearizable, model.Violated, 1, Miscounted,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 4; its items are right, its count or its "more" is not`,
		},
		"a revision from nowhere": {
			[]string{start, putA, list(10, "", 9, newA)},
			Linearizable, model.Violated, 1, UnmadeRevision,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 9, which no operation of the history made; the newest is 3`,
		},
		"right data at an old revision": {
			[]string{start, `{"client":"w","op":"put","call":1,"return":2,"request":{"key":"zz"},"response":{"revision":3}}`, list(10, "", 2, oldA)},
			Linearizable, model.Violated, 1, OldRevision,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 2, but the put of "zz" by w (called at 1, answered at 2) had made revision 3 before; its data is right all the same`,
		},
		"right data at an old revision is right data": {
			[]string{start, `{"client":"w","op":"put","call":1,"return":2,"request":{"key":"zz"},"response":{"revision":3}}`, list(10, "", 2, oldA)},
			LinearizableData, model.Holds, 1, "", "",
		},
		"wrong data": {
			[]string{start, putA, deleteA, list(10, "", 4, newA)},
			LinearizableData, model.Violated, 1, Ghost,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 4, but the delete of "a" by w (called at 3, answered at 4) had made revision 4 before; ` +
				`it shows key "a" as "new" of revision 3, which was deleted at revision 4 by the delete of "a" by w (called at 3, answered at 4)`,
		},
		"a get of what was overwritten": {
			[]string{start, putA, `{"client":"r","op":"get","call":10,"return":11,"request":{"key":"a"},"response":{"items":[` + oldA + `]}}`},
			Linearizable, model.Violated, 1, Missing,
			`the get of "a" by r (called at 10, answered at 11) fits no revision that it may show, but the put of "a" by w (called at 1, answered at 2) had made revision 3 before; ` +
				`key "a" is "old" of revision 2 in it, but was set to "new" at revision 3 by the put of "a" by w (called at 1, answered at 2)`,
		},
		"a revision twice": {
			[]string{start, putA, `{"client":"v","op":"put","call":1,"return":2,"request":{"key":"b"},"response":{"revision":3}}`},
			Linearizable, model.Violated, 0, TakenRevision,
			`the put of "b" by v (called at 1, answered at 2) says it made revision 3, but so does the put of "a" by w (called at 1, answered at 2)`,
		},
		"a revision that no operation made": {
			[]string{start, strings.Replace(putA, `"revision":3`, `"revision":4`, 1)},
			Sequential, model.Violated, 0, SkippedRevision,
			`the put of "a" by w (called at 1, answered at 2) made revision 4, but no operation made revision 3`,
		},
		"writes out of order": {
			[]string{start, strings.Replace(putA, `"revision":3`, `"revision":4`, 1), `{"client":"v","op":"put","call":5,"return":6,"request":{"key":"b"},"response":{"revision":3}}`},
			Linearizable, model.Violated, 0, Reordered,
			`the put of "b" by v (called at 5, answered at 6) made revision 3, but the put of "a" by w (called at 1, answered at 2) had made revision 4 before`,
		},
		"a delete that says it did nothing": {
			[]string{start, `{"client":"w","op":"delete","call":1,"return":2,"request":{"key":"a"},"response":{"revision":2}}`},
			Linearizable, model.Violated, 0, WrongFlag,
			`the delete of "a" by w (called at 1, answered at 2) has the answer revision 2, deleted 0, succeeded false, which the store at revision 2 cannot have given`,
		},
		"a write of unknown outcome may be seen or not": {
			[]string{start, `{"client":"w","op":"put","call":1,"request":{"key":"a","value":"new"},"unknown":true}`, list(10, "", 2, oldA), list(12, "", 3, newA)},
			Linearizable, model.Vacuous, 0, "", "",
		},
		"but not seen and then unseen": {
			[]string{start, `{"client":"w","op":"put","call":1,"request":{"key":"a","value":"new"},"unknown":true}`, list(10, "", 3, newA), list(12, "", 2, oldA)},
			Linearizable, model.Violated, 1, Missing,
			`the list of "a" by r (called at 12, answered at 13) by cache-0 is of revision 2, but the list of "a" by r (called at 10, answered at 11) had seen revision 3 before; ` +
				`key "a" is "old" of revision 2 in it, but was set to "new" at revision 3 by a write that was not answered`,
		},
		"an unknown write, and data that was never written": {
			[]string{start, `{"client":"w","op":"put","call":1,"request":{"key":"a","value":"new"},"unknown":true}`, list(10, "", 3, strings.Replace(newA, "new", "bad", 1))},
			Linearizable, model.Violated, 0, Unexplained,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 3, which is the first answer with which no order of the operations fits, whether or not the writes with unknown outcome took effect`,
		},
		"an unknown write, and a refused one that is seen": {
			[]string{
				start, `{"client":"w","op":"put","call":1,"request":{"key":"b","value":"x"},"unknown":true}`,
				`{"client":"v","op":"put","call":2,"return":3,"request":{"key":"a","value":"new"},"error":"too-many-requests"}`, list(10, "", 3, newA),
			},
			Linearizable, model.Violated, 0, Unexplained,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 3, which is the first answer with which no order of the operations fits, whether or not the writes with unknown outcome took effect; it shows key "a" as "new", as the put of "a" by v (called at 2, answered at 3) would have made it, which was refused`,
		},
		"a refused write like one that was not": {
			[]string{
				start, strings.Replace(putA, `"revision":3`, "", 1), `{"client":"w","op":"put","call":3,"return":4,"request":{"key":"a","value":"other"},"response":{}}`,
				`{"client":"v","op":"put","call":5,"return":6,"request":{"key":"a","value":"new"},"error":"too-many-requests"}`,
				`{"client":"r","op":"get","call":10,"return":11,"request":{"key":"a"},"response":{"items":[{"key":"a","value":"new"}]}}`,
			},
			Linearizable, model.Violated, 1, Unexplained,
			`the get of "a" by r (called at 10, answered at 11) has an answer that is the first answer with which no order of the operations fits`,
		},
		"an unknown write, and one that is seen before it is refused": {
			[]string{
				start, `{"client":"w","op":"put","call":1,"request":{"key":"b","value":"x"},"unknown":true}`,
				`{"client":"v","op":"put","call":2,"return":30,"request":{"key":"a","value":"new"},"error":"too-many-requests"}`, list(10, "", 3, newA),
			},
			Linearizable, model.Violated, 0, Unexplained,
			`the put of "a" by v (called at 2, answered at 30) is refused, which is the first answer with which no order of the operations fits, whether or not the writes with unknown outcome took effect; the list of "a" by r (called at 10, answered at 11) shows its effect`,
		},
		"ground truth settles an unknown outcome": {
			[]string{start, `{"client":"w","op":"put","call":1,"request":{"key":"a","value":"new"},"unknown":true,"commit":3}`, list(10, "", 3, newA)},
			Linearizable, model.Vacuous, 0, "", "",
		},
		"a stale read at resourceVersion 0 is outside linearizability": {
			[]string{start, putA, list(10, anyRV, 2, oldA)},
			Linearizable, model.Vacuous, 0, "", "",
		},
		"and within sequential consistency": {
			[]string{start, putA, list(10, anyRV, 2, oldA), list(12, anyRV, 3, newA), list(14, anyRV, 3, newA)},
			Sequential, model.Holds, 1, "", "",
		},
		"unless the client wrote": {
			[]string{start, putA, listBy("w", 10, anyRV, 2, oldA)},
			Sequential, model.Violated, 1, Missing,
			`the list of "a" by w (called at 10, answered at 11) by cache-0 is of revision 2, but the put of "a" by w (called at 1, answered at 2) had made revision 3 before; ` +
				`key "a" is "old" of revision 2 in it, but was set to "new" at revision 3 by the put of "a" by w (called at 1, answered at 2)`,
		},
		"a session that goes back": {
			[]string{start, putA, list(10, anyRV, 3, newA), list(12, anyRV, 2, oldA)},
			Monotonic, model.Violated, 1, Missing,
			`the list of "a" by r (called at 12, answered at 13) by cache-0 is of revision 2, but the list of "a" by r (called at 10, answered at 11) had seen revision 3 before; ` +
				`key "a" is "old" of revision 2 in it, but was set to "new" at revision 3 by the put of "a" by w (called at 1, answered at 2)`,
		},
		"a session that goes on": {
			[]string{start, putA, list(10, anyRV, 2, oldA), list(12, anyRV, 3, newA)},
			Monotonic, model.Holds, 1, "", "",
		},
		"sessions of two clients": {
			[]string{start, putA, list(10, anyRV, 3, newA), listBy("s", 12, anyRV, 2, oldA)},
			Monotonic, model.Vacuous, 0, "", "",
		},
		"own write not read": {
			[]string{start, putA, listBy("w", 10, anyRV, 2, oldA)},
			ReadYourWrites, model.Violated, 1, Missing,
			`the list of "a" by w (called at 10, answered at 11) by cache-0 is of revision 2, but the put of "a" by w (called at 1, answered at 2) had made revision 3 before; ` +
				`key "a" is "old" of revision 2 in it, but was set to "new" at revision 3 by the put of "a" by w (called at 1, answered at 2)`,
		},
		"own write read": {
			[]string{start, putA, listBy("w", 10, anyRV, 3, newA)},
			ReadYourWrites, model.Holds, 1, "", "",
		},
		"older than asked": {
			[]string{start, putA, list(10, notOlder, 2, oldA)},
			NotOlderThan, model.Violated, 1, Missing,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 2, but it asked for revision 3 or later; ` +
				`key "a" is "old" of revision 2 in it, but was set to "new" at revision 3 by the put of "a" by w (called at 1, answered at 2)`,
		},
		"as old as asked": {
			[]string{start, putA, list(10, notOlder, 3, newA)},
			NotOlderThan, model.Holds, 1, "", "",
		},
		"a get as old as asked": {
			[]string{start, putA, deleteA, `{"client":"r","op":"get","call":10,"return":11,"request":{"key":"a","freshness":"not-older-than","revision":3},"response":{"items":[` + newA + `]}}`},
			NotOlderThan, model.Holds, 1, "", "",
		},
		"a get older than asked": {
			[]string{start, putA, deleteA, `{"client":"r","op":"get","call":10,"return":11,"request":{"key":"a","freshness":"not-older-than","revision":3},"response":{"items":[` + oldA + `]}}`},
			NotOlderThan, model.Violated, 1, Missing,
			`the get of "a" by r (called at 10, answered at 11) fits no revision that it may show, but it asked for revision 3 or later; ` +
				`key "a" is "old" of revision 2 in it, but was set to "new" at revision 3 by the put of "a" by w (called at 1, answered at 2)`,
		},
		"exactly": {
			[]string{start, putA, deleteA, list(10, `"freshness":"exact","revision":3`, 3, newA)},
			Exact, model.Holds, 1, "", "",
		},
		"an exact read whose header has the current revision": {
			[]string{start, putA, deleteA, list(10, `"freshness":"exact","revision":3`, 4, newA)},
			Exact, model.Holds, 1, "", "",
		},
		"not exactly": {
			[]string{start, putA, deleteA, list(10, `"freshness":"exact","revision":3`, 3, oldA)},
			Exact, model.Violated, 1, Missing,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 3; ` +
				`key "a" is "old" of revision 2 in it, but was set to "new" at revision 3 by the put of "a" by w (called at 1, answered at 2)`,
		},
		"older than exactly": {
			[]string{start, putA, deleteA, list(10, `"freshness":"exact","revision":3`, 2, newA)},
			Exact, model.Violated, 1, OldRevision,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 2, but it asked for revision 3; its data is right all the same`,
		},
		"exactly gone": {
			[]string{start, putA, `{"client":"r","op":"list","call":10,"return":11,"request":{"key":"a","end":"z","freshness":"exact","revision":2},"error":"compacted"}`},
			Exact, model.Vacuous, 0, "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var j Judge
			out, err := j.Check(parse(t, tc.lines...), nil, tc.property)
			require.NoError(t, err)
			require.Equal(t, tc.verdict, out[0].Verdict, "%v", out[0].Why)
			require.Equal(t, tc.exercised, out[0].Exercised)
			if tc.verdict != model.Violated {
				require.Nil(t, out[0].Why)
				return
			}
			require.Equal(t, tc.anomaly, out[0].Why.Anomaly, out[0].Why.Sentence)
			require.Equal(t, tc.sentence, out[0].Why.Sentence)
		})
	}
}

// TestWhatIsWrongWithAnItem: of a list of everything that was called at 10, the last clause of the
// explanation says what is wrong, and nothing that is not so.
func TestWhatIsWrongWithAnItem(t *testing.T) {
	const (
		lost  = `{"client":"v","op":"delete","call":4,"request":{"key":"a"},"unknown":true}`
		get   = `{"client":"r","op":"get","call":10,"return":11,"request":{"key":"a"},"response":{"items":[%s]}}`
		other = `{"key":"a","value":"new","create":7,"mod":3,"version":2}`
		b     = `{"key":"b","value":"new","create":4,"mod":4,"version":1}`
	)
	slow := strings.Replace(putA, `"return":2`, `"return":20`, 1)
	for name, tc := range map[string]struct {
		lines   []string
		anomaly Anomaly
		clause  string
	}{
		"an older item that a selector fits": {
			[]string{putA, list(10, `"selection":{"values":"ol"}`, 3, oldA)}, Ghost,
			`it shows key "a" as "old" of revision 2, but was set to "new" at revision 3 by the put of "a" by w (called at 1, answered at 2), which it does not select`,
		},
		"an item that a selector does not fit": {
			[]string{putA, list(10, `"selection":{"values":"ol"}`, 3, newA)}, Ghost,
			`it shows key "a" as "new" of revision 3, which it does not select`,
		},
		"a create revision that a bound fits": {
			[]string{putA, list(10, `"selection":{"minCreate":5}`, 3, other)}, Ghost,
			`it shows key "a" as "new" (create 7, mod 3, version 2), but the write of revision 3 by the put of "a" by w (called at 1, answered at 2) left "new" (create 2, mod 3, version 2), which it does not select`,
		},
		"more than the limit": {
			[]string{putA, putB, list(10, `"limit":1`, 4, newA, b)}, Ghost,
			`it shows key "b" as "new" of revision 4, which is beyond its limit of 1`,
		},
		"an item twice": {
			[]string{putA, list(10, "", 3, newA, newA)}, Ghost,
			`it shows key "a" as "new" of revision 3, which it shows twice`,
		},
		"a value of later, without a revision": {
			[]string{slow, list(10, "", 2, `{"key":"a","value":"new"}`)}, Missing,
			`key "a" is "new" in it, but was set to "old" at revision 2`,
		},
		"a key of later, without a revision": {
			[]string{putA, strings.Replace(putB, `"return":6`, `"return":20`, 1), list(10, "", 3, newA, `{"key":"b","value":"new"}`)}, Premature,
			`it shows key "b" as of revision 4, which is newer than the answer`,
		},
		"one is missing from a list in descending order": {
			[]string{putA, putB, list(10, `"selection":{"descending":true}`, 4, newA)}, Missing,
			`key "b" is not in it, but was set to "new" at revision 4 by the put of "b" by w (called at 5, answered at 6)`,
		},
		"the order is wrong": {
			[]string{putA, putB, list(10, "", 4, b, newA)}, Miscounted,
			`its items are right, their order is not`,
		},
		"another create revision, while the write goes on": {
			[]string{slow, fmt.Sprintf(get, other)}, Corrupt,
			`it shows key "a" as "new" (create 7, mod 3, version 2), but the write of revision 3 by the put of "a" by w (called at 1, answered at 20) left "new" (create 2, mod 3, version 2)`,
		},
		"another create revision, of a key that may be deleted": {
			[]string{putA, lost, strings.NewReplacer(`"v","op":"delete"`, `"u","op":"put"`, `"a"`, `"c"`).Replace(lost),
				list(10, "", 5, `{"key":"a","value":"new","create":3}`, `{"key":"b","value":"new"}`), strings.Replace(putB, `:4}`, `:5}`, 1)}, Corrupt,
			`it shows key "a" as "new" (create 3), but the write of revision 3 by the put of "a" by w (called at 1, answered at 2) left "new" (create 2, mod 3, version 2)`,
		},
		"a revision that was not made": {
			[]string{putA, fmt.Sprintf(get, strings.Replace(newA, `"mod":3`, `"mod":9`, 1))}, Premature,
			`it shows key "a" as of revision 9, and the newest of the history is 3`,
		},
		"another create revision alone": {
			[]string{putA, fmt.Sprintf(get, `{"key":"a","value":"new","create":3}`)}, Corrupt,
			`it shows key "a" as "new" (create 3), but the write of revision 3 by the put of "a" by w (called at 1, answered at 2) left "new" (create 2, mod 3, version 2)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var j Judge
			out, err := j.CheckRecorded(parse(t, append([]string{start}, tc.lines...)...), Linearizable)
			require.NoError(t, err)
			require.Equal(t, model.Violated, out[0].Verdict)
			require.Equal(t, tc.anomaly, out[0].Why.Anomaly, out[0].Why.Sentence)
			_, clause, _ := strings.Cut(out[0].Why.Sentence, "; ")
			require.Equal(t, tc.clause, clause)
		})
	}
}

const threeItems = `{"format":"watchbed-history","version":1,"initial":{"revision":4,"items":[` +
	`{"key":"a","create":2,"mod":2,"version":1},{"key":"b","create":3,"mod":3,"version":1},{"key":"c","create":4,"mod":4,"version":1}]}}`

func TestPages(t *testing.T) {
	page := func(call int, key, freshness string, rev int, more bool, items ...string) string {
		return fmt.Sprintf(`{"client":"r","op":"list","call":%d,"return":%d,"request":{"key":"%s","end":"z","limit":2%s},"response":{"revision":%d,"more":%t,"items":[%s]}}`,
			call, call+1, key, freshness, rev, more, strings.Join(items, ","))
	}
	const a, b, c = `{"key":"a","mod":2}`, `{"key":"b","mod":3}`, `{"key":"c","mod":4}`
	change := `{"client":"w","op":"put","call":3,"return":4,"request":{"key":"c"},"response":{"revision":5}}`
	first := page(1, "a", "", 4, true, a, b)
	for name, tc := range map[string]struct {
		second  string
		verdict model.Verdict
		anomaly Anomaly
	}{
		"one snapshot":          {page(5, `b\u0000`, `,"freshness":"exact","revision":4`, 4, false, c), model.Holds, ""},
		"two snapshots":         {page(5, `b\u0000`, "", 5, false, `{"key":"c","mod":5}`), model.Violated, Torn},
		"later data":            {page(5, `b\u0000`, `,"freshness":"exact","revision":4`, 4, false, `{"key":"c","mod":5}`), model.Violated, Premature},
		"an item is lost":       {page(5, `b\u0000`, `,"freshness":"exact","revision":4`, 4, false), model.Violated, Missing},
		"another list":          {page(5, "a", "", 5, true, a, b), model.Vacuous, ""},
		"refused, begins again": {`{"client":"r","op":"list","call":5,"return":6,"request":{"key":"b\u0000","end":"z","freshness":"exact","revision":4},"error":"compacted"}`, model.Vacuous, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var j Judge
			out, err := j.Check(parse(t, threeItems, first, change, tc.second), nil, Pages)
			require.NoError(t, err)
			require.Equal(t, tc.verdict, out[0].Verdict)
			if tc.anomaly != "" {
				require.Equal(t, tc.anomaly, out[0].Why.Anomaly, out[0].Why.Sentence)
			}
		})
	}
}

// The log supplies revisions that no recorded operation made.
func TestLogFillsGaps(t *testing.T) {
	h := parse(t, start,
		`{"client":"w","op":"put","call":1,"return":2,"request":{"key":"b"},"response":{"revision":4}}`,
		`{"client":"v","op":"put","call":3,"request":{"key":"c"},"unknown":true}`,
		list(10, "", 5, newA, `{"key":"b","mod":4}`, `{"key":"c","mod":5}`))
	log := model.NewLog(h.Initial)
	for _, key := range []string{"a", "b", "c"} {
		value := map[string]string{"a": "new"}[key]
		log.Append(&model.Request{Kind: model.Put, Key: key, Value: value})
	}
	var j Judge
	out, err := j.Check(h, log, Linearizable, LinearizableData, Sequential)
	require.NoError(t, err)
	require.Equal(t, model.Holds, out[0].Verdict)
	require.Equal(t, model.Holds, out[1].Verdict)
	require.NotEqual(t, model.Violated, out[2].Verdict)
	for _, o := range out {
		require.Equal(t, ByBoth, o.By)
	}
}

// The log says that a was put before it was deleted; the client, that it
// deleted a from under the put.
func TestHistoryContradictsLog(t *testing.T) {
	h := parse(t, start, `{"client":"w","op":"delete","call":1,"return":2,"request":{"key":"a"},"response":{"revision":3,"deleted":1}}`)
	log := model.NewLog(h.Initial)
	log.Append(&model.Request{Kind: model.Put, Key: "a"})
	log.Append(h.Operations[0].Request)
	var j Judge
	out, err := j.Check(h, log, Linearizable)
	require.NoError(t, err)
	require.Equal(t, model.Violated, out[0].Verdict)
	require.Equal(t, ByBoth, out[0].By)
	require.Equal(t, Contradicted, out[0].Why.Anomaly)
	require.Equal(t, `the delete of "a" by w (called at 1, answered at 2) made revision 3, but after that the write of revision 4 in the server's log would have changed nothing`, out[0].Why.Sentence)
}

// Each property is about certain operations. No property is about an operation
// that failed.
func TestClaims(t *testing.T) {
	done := func(r model.Request) model.Operation { return model.Operation{Request: &r, Result: &model.Result{}} }
	unknown := func(r model.Request, commit int64) model.Operation {
		return model.Operation{Request: &r, Outcome: model.Unknown, Commit: commit}
	}
	put := model.Request{Kind: model.Put}
	list := func(f model.Freshness) model.Request { return model.Request{Kind: model.List, Freshness: f} }
	failed := done(put)
	failed.Outcome = model.Failed
	for name, tc := range map[string]struct {
		op   model.Operation
		want []Property
	}{
		"a write":                  {done(put), []Property{Linearizable, LinearizableData, Sequential, ReadYourWrites}},
		"a lost write":             {unknown(put, 0), []Property{Linearizable, LinearizableData, Sequential}},
		"a write that never was":   {unknown(put, -1), nil},
		"a failed write":           {failed, nil},
		"a compaction":             {done(model.Request{Kind: model.Compact}), nil},
		"a consistent list":        {done(list(model.Consistent)), []Property{Linearizable, LinearizableData, Sequential, Monotonic, ReadYourWrites, Pages}},
		"a lost list":              {unknown(list(model.Consistent), 0), nil},
		"a list of any revision":   {done(list(model.Any)), []Property{Sequential, Monotonic, ReadYourWrites, Pages}},
		"a list not older than":    {done(list(model.NotOlderThan)), []Property{Sequential, Monotonic, ReadYourWrites, NotOlderThan, Pages}},
		"a list of one revision":   {done(list(model.Exact)), []Property{Exact, Pages}},
		"a get, which has no page": {done(model.Request{Kind: model.Get}), []Property{Linearizable, LinearizableData, Sequential, Monotonic, ReadYourWrites}},
	} {
		t.Run(name, func(t *testing.T) {
			var claimed []Property
			for _, p := range Properties() {
				if p.Claims(&tc.op) {
					claimed = append(claimed, p)
				}
			}
			require.Equal(t, tc.want, claimed)
		})
	}
}

func TestBudgetIsDeterministic(t *testing.T) {
	h := overlapping(60, 5, 3, 3, false)
	var p Porcupine
	v, steps := p.Check(h, nil, Linearizable, 30)
	require.Equal(t, model.VerdictUnknown, v)
	require.Equal(t, 30, steps)
	v, steps = p.Check(h, nil, Linearizable, 1_000_000)
	require.Equal(t, model.Holds, v)
	again, same := p.Check(h, nil, Linearizable, 1_000_000)
	require.Equal(t, v, again)
	require.Equal(t, steps, same)
}

// TestSequentialNeedsOneStepPerOperation: where revisions are known, porcupine
// finds the order without backtracking.
func TestSequentialNeedsOneStepPerOperation(t *testing.T) {
	h := overlapping(60, 5, 3, 3, false)
	var p Porcupine
	v, steps := p.Check(h, nil, Sequential, DefaultSteps)
	require.Equal(t, model.Holds, v)
	require.Equal(t, len(h.Operations), steps)
}

// The witness cannot place a write whose answer has no revision. Porcupine does
// not need the revision.
func TestWritesWithoutRevision(t *testing.T) {
	h := parse(t,
		`{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a","value":"1"},"response":{}}`,
		`{"client":"r","op":"get","call":3,"return":4,"request":{"key":"a"},"response":{}}`)
	j := Judge{Operations: -1}
	out, err := j.Check(h, nil, Linearizable)
	require.NoError(t, err)
	require.Equal(t, model.VerdictUnknown, out[0].Verdict)
	j.Operations = 10
	out, err = j.Check(h, nil, Linearizable)
	require.NoError(t, err)
	require.Equal(t, model.Violated, out[0].Verdict)
	require.Equal(t, ByPorcupine, out[0].By)
	require.Equal(t, Unexplained, out[0].Why.Anomaly)
}

func ExampleJudge() {
	text := strings.NewReader(`
{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a","value":"1"},"response":{"revision":2}}
{"client":"r","op":"list","call":3,"return":4,"request":{"key":"a","end":"b"},"response":{"revision":1}}`)
	h, err := history.Read(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	var judge Judge
	judgements, err := judge.Check(h, nil, Linearizable, Sequential)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, j := range judgements {
		fmt.Println(j.Property, j.Verdict, j.By)
		if j.Why != nil {
			fmt.Println(j.Why)
		}
	}
	// Output:
	// linearizable violated witness and porcupine
	// the list of "a" by r (called at 3, answered at 4) is of revision 1, but the put of "a" by w (called at 1, answered at 2) had made revision 2 before; key "a" is not in it, but was set to "1" at revision 2 by the put of "a" by w (called at 1, answered at 2)
	// sequential vacuous witness and porcupine
}
