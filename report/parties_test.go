package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestStoriesLeaveOutAPIServersThatPlayNoPart: other API servers go through the same
// revisions as the one that the violation is about. Nothing is told of them, nor of
// what etcd sends them.
func TestStoriesLeaveOutAPIServersThatPlayNoPart(t *testing.T) {
	for name, others := range map[string][]string{
		"informer-moves-3.5.7": {"cache-1", "client-1", "informer-1"},
	} {
		for _, l := range tellOnly(t, name).Lines {
			for _, other := range others {
				assert.NotEqual(t, other, l.Node, name)
				assert.NotContains(t, l.Text, other, name)
			}
		}
	}
}
