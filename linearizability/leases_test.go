package linearizability

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/linearizability/items"
	"github.com/watchbed/watchbed/model"
)

const (
	// putLeased makes revision 3 from 3 to 4 on lease 7.
	grant7    = `{"client":"w","op":"lease-grant","call":1,"return":2,"request":{"lease":7,"ttl":60},"response":{"revision":2}}`
	putLeased = `{"client":"w","op":"put","call":3,"return":4,"request":{"key":"b","value":"x","lease":7},"response":{"revision":3}}`
	revoke7   = `{"client":"w","op":"lease-revoke","call":6,"return":7,"request":{"lease":7},"response":{"revision":4}}`
	leasedB   = `{"key":"b","value":"x","create":3,"mod":3,"version":1,"lease":7}`
)

func TestLeasesInRecordedHistories(t *testing.T) {
	for name, tc := range map[string]struct {
		lines    []string
		verdict  model.Verdict
		sentence string
	}{
		"a revoked lease takes its keys away": {
			[]string{start, grant7, putLeased, revoke7, list(10, "", 4, oldA)}, model.Holds, "",
		},
		"a key that outlives its lease": {
			[]string{start, grant7, putLeased, revoke7, list(10, "", 4, oldA, leasedB)}, model.Violated,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 4; ` +
				`it shows key "b" as "x" of revision 3, which was deleted at revision 4 by the revocation of lease 7 by w (called at 6, answered at 7)`,
		},
		"a revocation that says it found no key": {
			[]string{
				start, grant7, putLeased, `{"client":"w","op":"lease-revoke","call":6,"return":7,"request":{"lease":7},"response":{"revision":3}}`,
				list(10, "", 3, oldA, leasedB),
			}, model.Violated,
			`the revocation of lease 7 by w (called at 6, answered at 7) has the answer revision 3, deleted 0, succeeded false, which the store at revision 3 cannot have given`,
		},
		"a lease without keys makes no revision when it is revoked": {
			[]string{
				start, grant7, `{"client":"w","op":"put","call":3,"return":4,"request":{"key":"a","value":"new"},"response":{"revision":3}}`,
				`{"client":"w","op":"lease-revoke","call":6,"return":7,"request":{"lease":7},"response":{"revision":3}}`, list(10, "", 3, newA),
			}, model.Holds, "",
		},
		"a lease that expires": {
			[]string{start, grant7, putLeased, list(10, "", 4, oldA)}, model.Holds, "",
		},
		"a lease that expires takes all of its keys": {
			[]string{
				start, grant7, putLeased, `{"client":"w","op":"put","call":5,"return":6,"request":{"key":"c","value":"y","lease":7},"response":{"revision":4}}`,
				list(10, "", 5, oldA, leasedB),
			}, model.Violated,
			`the list of "a" by r (called at 10, answered at 11) by cache-0 is of revision 5; it shows key "b" as "x" of revision 3, which was deleted at revision 5 by the expiry of lease 7`,
		},
		"a lease that a client revoked later has not expired before": {
			[]string{
				start, grant7, putLeased, list(5, "", 4, oldA),
				`{"client":"w","op":"lease-revoke","call":8,"return":9,"request":{"lease":7},"response":{"revision":4}}`, list(10, "", 4, oldA),
			}, model.Violated, "",
		},
		"an item on another lease": {
			[]string{start, grant7, putLeased, list(10, "", 3, oldA, `{"key":"b","value":"x","create":3,"mod":3,"version":1,"lease":8}`)}, model.Violated, "",
		},
		"an item of which the lease is not known": {
			[]string{start, grant7, putLeased, list(10, "", 3, oldA, `{"key":"b","value":"x","mod":3}`)}, model.Holds, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var j Judge
			out, err := j.CheckRecorded(parse(t, tc.lines...), Linearizable)
			require.NoError(t, err)
			require.Equal(t, tc.verdict, out[0].Verdict, "%s %s", out[0].Why, j.Reason(&out[0]))
			if tc.sentence != "" {
				require.Equal(t, tc.sentence, out[0].Why.Sentence)
			}
		})
	}
}

// What the judges cannot know of leases is said: the history has more operations than
// porcupine is asked about, and one lease may have expired.
func TestExpiryThatIsNotKnownIsSaid(t *testing.T) {
	h := parse(t, start, grant7, putLeased, `{"client":"r","op":"get","call":10,"return":11,"request":{"key":"b"},"response":{}}`, list(12, "", 4, oldA))
	j := Judge{Operations: -1}
	out, err := j.Check(items.WithExpiries(h), nil, Linearizable)
	require.NoError(t, err)
	require.Equal(t, model.VerdictUnknown, out[0].Verdict)
	require.Contains(t, j.Reason(&out[0]), "whether lease 7 has expired is not known")
}

// The log that watches are held against has the revocation, whether a client or etcd did it.
func TestTruthHasRevocations(t *testing.T) {
	for name, lines := range map[string][]string{
		"by a client": {start, grant7, putLeased, revoke7},
		"by etcd": {
			start, grant7, putLeased, `{"watch":"v","request":{"key":"b","startRevision":3}}`, `{"watch":"v","response":{"revision":2,"created":true}}`,
			`{"watch":"v","response":{"events":[{"type":"put","item":` + leasedB + `},{"type":"delete","item":{"key":"b","mod":4}}]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			log, ends := Truth(parse(t, lines...))
			require.Empty(t, ends)
			require.Equal(t, int64(4), log.Revision())
			require.Equal(t, model.LeaseRevoke, log.Write(4).Kind)
			require.Nil(t, log.At(4).Get("b"))
		})
	}
}

// Each grant may end by expiry, but for those that a client was answered to have revoked.
func TestExpiriesThatMayHaveBeen(t *testing.T) {
	later := `{"client":"w","op":"lease-grant","call":8,"return":9,"request":{"lease":7},"response":{"revision":4}}`
	for name, tc := range map[string]struct {
		lines []string
		calls []int64
	}{
		"no key on it":      {[]string{start, grant7}, nil},
		"one grant":         {[]string{start, grant7, putLeased}, []int64{1}},
		"revoked":           {[]string{start, grant7, putLeased, revoke7}, nil},
		"granted again":     {[]string{start, grant7, putLeased, revoke7, later}, []int64{1}},
		"granted elsewhere": {[]string{start, putLeased}, []int64{beforeAll}},
	} {
		t.Run(name, func(t *testing.T) {
			h := parse(t, tc.lines...)
			var calls []int64
			for _, op := range items.WithExpiries(h).Operations[len(h.Operations):] {
				require.Equal(t, model.LeaseRevoke, op.Request.Kind)
				calls = append(calls, op.Call)
			}
			require.Equal(t, tc.calls, calls)
		})
	}
}
