package claims

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	_ "github.com/watchbed/watchbed/internal/fewcollections"
	"github.com/watchbed/watchbed/internal/testsize"
)

// TestClaims says by hand which figures of the documents are borne out.
func TestClaims(t *testing.T) {
	want := []struct {
		document, where string
		borneOut        bool
	}{
		{"KEP-2340", "other resources are written", true},
		{"KEP-2340", "the resource and others are written", true},
		{"KEP-2340", "on etcd 3.5.12", false},
		{"KEP-2340", "50 ms to etcd, one way", false},
		{"KEP-2340", "ten seats, LISTs that fall back", true},
		{"KEP-2340", "ten seats, LISTs that are admitted again before they fall back", false},
		{"KEP-2340", "etcd, 50 of 1,000 objects", true},
		{"KEP-2340", "the cache by its index, 50 of 1,000 objects", true},
		{"KEP-2340", "the cache by a field that has no index, 50 of 1,000 objects", false},
		{"draft of 2019", "the resource is not written", true},
		{"draft of 2019", "the resource is written twice a second", false},
		{"draft of 2019", "the resource is written 32 times a second", false},
		{"draft of 2019", "1 object of 5 kB, 10 Gbit/s from etcd, other resources are written", false},
		{"draft of 2019", "10,000 objects of 100 kB, 10 Gbit/s from etcd, other resources are written", true},
		{"draft of 2019", "a quiet resource, and API servers that restart, beside informers without bookmarks", true},
		{"draft of 2019", "other resources are written", true},
		{"KEP-3157", "40 objects of 1 MB at 500 kB a second, with LISTs", true},
		{"KEP-3157", "40 objects of 1 MB at 500 kB a second, with streams", false},
		{"KEP-3157", "1,024 informers, a millisecond away", true},
		{"KEP-3157", "16 informers, up to 100 ms away", false},
		{"KEP-3157", "with LISTs, and nothing fails", true},
		{"KEP-3157", "with streams, and nothing fails", true},
		{"KEP-3157", "with streams, while API servers, etcd and informers restart", false},
		{"KEP-3157", "1,000 informers start over at once, and list at resourceVersion 0", true},
		{"KEP-3157", "1,000 informers start over at once, and stream", false},
		{"KEP-3157", "16 informers list 400 MB at a time, with a limit of 800 MB", true},
		{"KEP-3157", "the same, measured every millisecond", true},
		{"KEP-3157", "the resource is not written", false},
		{"KEP-3157", "the resource is written now and then", false},
		{"KEP-3157", "as shipped in v0.37.2", true},
		{"KEP-4988", "in pages of a fifth, with kep-2340", true},
		{"KEP-4988", "pages that are turned at once", true},
		{"KEP-4988", "pages that are turned after 80 s at most, of a resource that changes 0.8 times a second", false},
		{"KEP-4988", "with snapshots, beside clients that read all pages", false},
		{"KEP-4988", "with pagination=kept, as the draft of 2019 has it, beside clients that read all pages of as many lists", false},
	}
	require.Len(t, All(), len(want))
	for i := range want {
		if i%testsize.Of(1, 1, 3) != 0 {
			continue
		}
		r, err := resultOf(i)
		require.NoError(t, err)
		assert.Equal(t, want[i].document, r.Document)
		assert.Equal(t, want[i].where, r.Where)
		assert.Equal(t, want[i].borneOut, r.BorneOut, "%s, %s: %s", r.Document, r.Where, r.Measured)
		assert.Contains(t, r.Command, "simrun run "+All()[i].Scenario.Name)
	}
}

// results are those of the claims that tests have measured, by their places.
var results = map[int]*Result{}

// resultOf runs the campaign of a claim, once for all tests.
func resultOf(i int) (*Result, error) {
	if results[i] == nil {
		r, err := All()[i].Measure(context.Background(), "simrun", campaign.Config{Seeds: 40})
		if err != nil {
			return nil, err
		}
		results[i] = r
	}
	return results[i], nil
}

func measureAll(t *testing.T) []Result {
	t.Helper()
	if testing.Short() {
		t.Skip("-short measures every third claim only")
	}
	var all []Result
	for i := range All() {
		r, err := resultOf(i)
		require.NoError(t, err)
		all = append(all, *r)
	}
	return all
}

// TestClaimNeedsData: a metric that has no values is no evidence.
func TestClaimNeedsData(t *testing.T) {
	for i := range All() {
		c := &All()[i]
		if c.beside != nil {
			_, borneOut := c.beside.bearsOut(nil, nil)
			assert.False(t, borneOut, c.Says)
			continue
		}
		_, borneOut := c.bearsOut(nil)
		assert.False(t, borneOut, All()[i].Says)
	}
}
