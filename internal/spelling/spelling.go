// Package spelling is for the end of an error about a name that does not exist:
// what was probably meant. It must never import anything of this module.
package spelling

import "strings"

// maxListed is how many candidates fit into one line of an error.
const maxListed = 24

// Suggest names the candidate nearest to a mistyped word, as the end of an
// error's line: `; did you mean "issue-15220"?`. If none is near it lists all of
// them, unless they are too many for a line.
func Suggest(word string, candidates []string) string {
	best, distance := "", len(word)/2+2
	for _, c := range candidates {
		d := editDistance(word, c)
		if strings.HasPrefix(c, word) || strings.HasPrefix(word, c) {
			d = min(d, 2)
		}
		if d < distance {
			best, distance = c, d
		}
	}
	switch {
	case best != "":
		return `; did you mean "` + best + `"?`
	case len(candidates) <= maxListed:
		return "; there are " + strings.Join(candidates, ", ")
	}
	return ""
}

// editDistance is Levenshtein's.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			above := row[j]
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above+1, row[j-1]+1, diagonal+cost)
			diagonal = above
		}
	}
	return row[len(b)]
}
