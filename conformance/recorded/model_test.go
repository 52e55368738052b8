package recorded_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/conformance/recorded"
	"github.com/watchbed/watchbed/model"
)

// With a single client there is nothing to order: the model, asked the same in
// the same order, must give the server's answers to the letter.
func TestModelAnswersLikeEtcd(t *testing.T) {
	for _, version := range realetcd.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := realetcd.StartForTest(t, version)
			h, err := recorded.Record(t.Context(), server, recorded.Config{
				Seed: 1, Clients: 1, PerClient: 400, Concurrent: 1, Seeded: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			store := model.NewStore(h.Initial)
			for i, op := range h.Operations {
				want := store.Apply(op.Request)
				if op.Request.Kind == model.Get {
					want.Revision = 0
				}
				if diff := cmp.Diff(&want, op.Result, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(model.Result{}, "Counted")); diff != "" {
					t.Fatalf("operation %d, %s %s: the model answers -, etcd +:\n%s", i, op.Request.Kind, op.Request.Key, diff)
				}
			}
		})
	}
}
