package recorded

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/linearizability"
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

// What the judges cannot know of leases is said: the history has more operations than
// porcupine is asked about, and one lease may have expired.
func TestExpiryThatIsNotKnownIsSaid(t *testing.T) {
	h := recordings.Parse(start, grant7, putLeased, `{"client":"r","op":"get","call":10,"return":11,"request":{"key":"b"},"response":{}}`, list(12, 4, oldA))
	var j Judge
	j.Operations = -1
	out, err := j.Judge.Check(items.WithExpiries(h), nil, linearizability.Linearizable)
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
			log, ends := Truth(recordings.Parse(lines...))
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
		"granted elsewhere": {[]string{start, putLeased}, []int64{math.MinInt64}},
	} {
		t.Run(name, func(t *testing.T) {
			h := recordings.Parse(tc.lines...)
			var calls []int64
			for _, op := range items.WithExpiries(h).Operations[len(h.Operations):] {
				require.Equal(t, model.LeaseRevoke, op.Request.Kind)
				calls = append(calls, op.Call)
			}
			require.Equal(t, tc.calls, calls)
		})
	}
}
