package report

import (
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/scenarios"
)

// smallProof searches one write and one consistent LIST on a release of etcd.
func smallProof(t *testing.T, etcd string, states int) (*proof.Proof, *diagnosis.Diagnosis) {
	t.Helper()
	p := scenarios.Issue15220.Params
	p.Etcd = etcd
	p.Workload.Writers, p.Workload.Writes, p.Workload.Readers, p.Workload.Reads = 1, 1, 1, 1
	r, runs, err := proof.Search(t.Context(), scenarios.Issue15220, p, prove.Config{Bounds: prove.Bounds{TimerBound: 1}, States: states}, "test")
	require.NoError(t, err)
	if len(runs) == 0 {
		return r, nil
	}
	told, err := diagnosis.Of(scenarios.Issue15220, runs[0], explore.Failure{Property: r.Failures[0].Property, Label: r.Failures[0].Label})
	require.NoError(t, err)
	return r, told
}

// TestThePageSaysWhatATerminalShows: what was searched stands on the page of each verdict, in the
// sentences of the text.
func TestThePageSaysWhatATerminalShows(t *testing.T) {
	for _, c := range []struct {
		etcd, word string
		states     int
		heading    string
	}{
		{etcd: "3.6.16", word: "proved within bounds", heading: "<h1>issue-15220 on etcd 3.6.16, cache design kep-2340: proved within bounds</h1>"},
		{etcd: "3.6.16", word: "unknown", states: 100, heading: "<h1>issue-15220 on etcd 3.6.16, cache design kep-2340: unknown</h1>"},
		{etcd: "3.5.7", word: "violated", heading: "<h1>issue-15220 on etcd 3.5.7 with the cache design kep-2340: linearizable is violated</h1>"},
	} {
		t.Run(c.word, func(t *testing.T) {
			r, told := smallProof(t, c.etcd, c.states)
			var text, page strings.Builder
			require.NoError(t, WriteProof(&text, Terminal{Width: 10_000}, r))
			require.NoError(t, WriteProofHTML(&page, "simrun", r, told))
			require.Contains(t, page.String(), c.heading)
			onPage := strings.Join(strings.Fields(html.UnescapeString(page.String())), " ")
			for i, line := range strings.Split(text.String(), "\n") {
				line = strings.TrimSpace(line)
				switch before, after, _ := strings.Cut(line, ":"); {
				case i == 0:
					// The subject is in the heading, in words of the story if there is one.
				case before == c.word:
					require.Contains(t, onPage, "<b>"+before+"</b>:"+after)
				case before == "Bounds":
					require.Contains(t, onPage, "<code>"+strings.TrimSuffix(strings.TrimSpace(after), ".")+"</code>")
				case strings.Contains(line, "  checked by "):
					property, checked, _ := strings.Cut(line, "  checked by ")
					require.Contains(t, onPage, "<td>"+strings.TrimSpace(property)+"</td><td>"+checked+"</td>")
				default:
					require.Contains(t, onPage, line)
				}
			}
		})
	}
}
