package story

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// texts are those of lines.
func texts(lines []weighed) (all []string) {
	for i := range lines {
		all = append(all, lines[i].Text)
	}
	return all
}

// row is what a node says in so many steps, each time of another key.
func row(n int) (lines []weighed) {
	for i := range n {
		lines = append(lines, weighed{Line: Line{Step: i + 1, Node: "cache", Text: fmt.Sprintf("takes in %d", i)}, kind: kind{1, "string", fmt.Sprint(i)}})
	}
	return lines
}

// TestLongRowsAreCounted: of what differs in its key alone the first line is told and the last two, and what is told in
// any case.
func TestLongRowsAreCounted(t *testing.T) {
	require.Equal(t, texts(row(5)), texts(unrepeated(row(5))))
	require.Equal(t, []string{"takes in 0", "takes in 6 (and 5 times more in between)", "takes in 7"}, texts(unrepeated(row(8))))
	named := row(8)
	named[3].stays = true
	require.Equal(t, []string{"takes in 0", "takes in 3", "takes in 6 (and 4 times more in between)", "takes in 7"}, texts(unrepeated(named)))
	interrupted := row(8)
	interrupted[4].Node = "etcd"
	require.Equal(t, texts(interrupted), texts(unrepeated(interrupted)), "no row is long")
}

// ofKeys are lines about these keys, each in a step of its own.
func ofKeys(keys string) (lines []weighed) {
	for i, key := range keys {
		lines = append(lines, weighed{Line: Line{Step: i + 1, Node: "cache", Text: fmt.Sprintf("takes in %c", key)}, kind: kind{1, "string", string(key)}})
	}
	return lines
}

// TestNoLineIsLostFromTheCount: of a row in which one key comes more often, too.
func TestNoLineIsLostFromTheCount(t *testing.T) {
	require.Equal(t, []string{"takes in a", "takes in f (and 9 times more in between)", "takes in g"}, texts(unrepeated(ofKeys("aaaaaabcdefg"))))
	require.Equal(t, []string{"takes in b", "takes in a (and 9 times more in between)", "takes in g"}, texts(unrepeated(ofKeys("bcdefaaaaaag"))))
	after := ofKeys("abcdefgh")
	for i := 4; i < len(after); i++ {
		after[i].matters = cameOfIt
	}
	require.Equal(t, texts(after), texts(unrepeated(after)), "no row is long")
}
