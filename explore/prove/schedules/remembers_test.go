package schedules_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/prove/schedules"
)

// remembers is a subject whose judges need to know of earlier steps.
type remembers struct{ *programs }

// Remembers implements prove.Remembering.
func (remembers) Remembers() bool { return true }

// The end of a schedule does not say what was so on the way.
func TestSubjectThatRemembersIsRefused(t *testing.T) {
	_, err := schedules.Search(context.Background(), remembers{newPrograms(1)}, []string{"right"}, schedules.Config{})
	require.ErrorContains(t, err, "remembers earlier steps")
}
