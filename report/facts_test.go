package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/sim"
)

// fact is something that a story has to say: a note of one of these kinds, and one
// that says of itself that something is set back if that is asked for. Or it is that a
// fault strikes.
type fact struct {
	notes   []string
	setBack bool
	fault   bool
}

// factsOf are the facts without which a story does not say why it came so, a line each in the file beside it: what the
// bug is, by its issue, and not what the story says today.
func factsOf(t *testing.T, name string) (facts []fact) {
	text, err := os.ReadFile(fileOf(name, ".facts"))
	require.NoError(t, err, "what must this story say? A line of the file is a note, or \"a fault strikes\"")
	for line := range strings.Lines(string(text)) {
		notes, setBack := strings.CutSuffix(strings.TrimSpace(line), " sets back")
		facts = append(facts, fact{notes: strings.Split(notes, " or "), setBack: setBack, fault: notes == "a fault strikes"})
	}
	return facts
}

// TestStoriesContainTheirMechanism asks the notes, not their wording. Each story has its facts.
func TestStoriesContainTheirMechanism(t *testing.T) {
	names := storyNames(t)
	files, err := filepath.Glob(filepath.Join(storiesDir, "*.facts"))
	require.NoError(t, err)
	assert.Len(t, files, len(names), "facts without a story")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := factsOf(t, name)
			assert.NotEmpty(t, facts)
			lines := tellOnly(t, name).Lines
			for _, f := range facts {
				assert.True(t, slices.ContainsFunc(lines, f.in), "%+v is not told", f)
			}
		})
	}
}

func (f fact) in(l story.Line) bool {
	if f.fault {
		return l.Node == "fault"
	}
	return slices.ContainsFunc(l.Says, f.is)
}

func (f fact) is(n sim.Note) bool {
	if !slices.Contains(f.notes, sim.NoteName(n)) {
		return false
	}
	x, ok := n.(sim.Setback)
	return !f.setBack || ok && x.SetsBack()
}
