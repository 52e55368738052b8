package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestBlame: the diagnosis names the cause of each known bug and of each scenario
// that fails. That of a known bug is its setting.
func TestBlame(t *testing.T) {
	for _, c := range storyCases(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.blame, c.open(t).Decision.Blame())
		})
	}
}
