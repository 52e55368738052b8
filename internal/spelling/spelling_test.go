package spelling_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/internal/spelling"
)

func TestSuggest(t *testing.T) {
	names := []string{"freshness", "on-timeout", "progress"}
	assert.Equal(t, `; did you mean "freshness"?`, spelling.Suggest("freshnes", names))
	assert.Equal(t, `; did you mean "progress"?`, spelling.Suggest("prog", names))
	assert.Equal(t, "; there are freshness, on-timeout, progress", spelling.Suggest("x", names))
	assert.Empty(t, spelling.Suggest("x", strings.Split(strings.Repeat("long-name,", 30), ",")))
}
