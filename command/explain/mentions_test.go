package explain

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWordsAreWhole: a number within another one, and a word within another one, are others.
func TestWordsAreWhole(t *testing.T) {
	for _, text := range []string{"429", "a 429.", "kubernetes#429)", "4290 and 429", "is 1429, 429"} {
		require.True(t, has(text, "429"), text)
	}
	for _, text := range []string{"", "4290", "1429", "429429", "42 9"} {
		require.False(t, has(text, "429"), text)
	}
	require.True(t, has("Leaders change", "leader"))
	require.True(t, has("the leader's lease", "LEADER"))
	require.False(t, has("leadership", "leader"))
	require.False(t, has("misleader", "leader"))
	require.False(t, has("progress", "progres"))
}

// TestTheSentenceThatHasTheWord is shown, or what a thing is about if only its name has it.
func TestTheSentenceThatHasTheWord(t *testing.T) {
	e := said("some-fallback", "what it is about", "First. The second one\nspeaks of it. Last.")
	require.Equal(t, "The second one speaks of it.", e.mention("speaks of"))
	require.Equal(t, "what it is about", e.mention("fallback"))
	require.Empty(t, e.mention("third"))
	require.Empty(t, Mentions("#42", nil))
}
