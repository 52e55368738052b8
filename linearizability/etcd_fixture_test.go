package linearizability

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
)

// The witness and porcupine both find the recorded histories of real etcd
// linearizable, also those above the usual limit of porcupine.
func TestRealEtcdIsLinearizable(t *testing.T) {
	judge := Judge{Operations: 1000}
	for name, h := range recordings.Etcd() {
		judgements, err := judge.Check(h, nil, Linearizable, LinearizableData, Sequential)
		require.NoError(t, err, name)
		for _, j := range judgements {
			require.Equal(t, model.Holds, j.Verdict, "%s %s: %v", name, j.Property, j.Why)
			require.Equal(t, ByBoth, j.By, name)
			require.Greater(t, j.Exercised, 10, name)
		}
	}
}

// TestTamperedHistoriesAreViolated: each wrong answer by itself, by the witness
// and by porcupine. Only Sequential, where nothing limits the orders but the
// clients' own programs, is left to the witness: porcupine does not refute it within its
// budget, and is cut short.
func TestTamperedHistoriesAreViolated(t *testing.T) {
	patient, brief := Judge{}, Judge{Steps: 100}
	tampered := map[string]int{}
	for name, h := range recordings.Etcd() {
		for i := 0; i < len(h.Operations); i += testsize.Of(1, 2) {
			for _, way := range recordings.Tamperings() {
				wrong := way.Apply(h, i)
				if wrong == nil {
					continue
				}
				tampered[way.Name]++
				for _, broken := range way.Breaks {
					prop := Property(broken)
					j := &patient
					if prop == Sequential {
						j = &brief
					}
					judgements, err := j.Check(wrong, nil, prop)
					require.NoError(t, err, "%s, operation %d, %s", name, i, way.Name)
					require.Equal(t, model.Violated, judgements[0].Verdict, "%s, operation %d, %s: %s", name, i, way.Name, prop)
					if prop != Sequential {
						require.Equal(t, ByBoth, judgements[0].By, "%s, operation %d, %s: %s", name, i, way.Name, prop)
					}
				}
			}
		}
	}
	for _, way := range recordings.Tamperings() {
		t.Logf("%s: %d histories", way.Name, tampered[way.Name])
		require.Greater(t, tampered[way.Name], 10, way.Name)
	}
}
