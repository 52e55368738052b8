package mention

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
	a := thing{"some-fallback", []string{"what it is about", "First. The second one\nspeaks of it. Last."}}
	m, ok := a.mention("speaks of")
	require.True(t, ok)
	require.Equal(t, Mention{"some-fallback", "The second one speaks of it. "}, m)
	m, ok = a.mention("fallback")
	require.True(t, ok)
	require.Equal(t, "what it is about", m.Sentence)
	_, ok = a.mention("third")
	require.False(t, ok)
	require.Empty(t, Of("#42"))
}
