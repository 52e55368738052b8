package registry

import (
	"cmp"
	"slices"
	"strings"
)

// maxListed is how many candidates fit into one line of an error.
const maxListed = 24

// Suggest names the candidate nearest to a mistyped word, as the end of an
// error's line: `; did you mean "issue-15220"?`. If none is near it lists all of
// them, unless they are too many for a line.
func Suggest(word string, candidates []string) string {
	best, distance := "", tooFar(word)
	for _, c := range candidates {
		if d := between(word, c); d < distance {
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

// maxNearest is how many candidates Nearest names.
const maxNearest = 3

// Nearest names the candidate nearest to a mistyped word, and up to two that are
// hardly farther from it; none if none is near. Each is named once.
func Nearest(word string, candidates []string) []string {
	var near []string
	for _, c := range candidates {
		if c != "" && between(word, c) < tooFar(word) && !slices.Contains(near, c) {
			near = append(near, c)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(between(word, a), between(word, b)) })
	for i, c := range near {
		if i == maxNearest || between(word, c) > between(word, near[0])+1 {
			return near[:i]
		}
	}
	return near
}

// tooFar is the distance from which on a candidate was not meant.
func tooFar(word string) int { return len(word)/2 + 2 }

// between is how far a candidate is from a word. One that only goes on, or breaks
// off, is near, and so is one about the same issue. A number alone is near to nothing else.
func between(word, candidate string) int {
	d := editDistance(word, candidate)
	for _, issue := range issues(word) {
		switch {
		case slices.Contains(issues(candidate), issue):
			d = min(d, 1)
		case strings.TrimPrefix(word, "#") == issue:
			return tooFar(word)
		}
	}
	if strings.HasPrefix(candidate, word) || strings.HasPrefix(word, candidate) {
		d = min(d, 2)
	}
	return d
}

// issues are the numbers of issues in a word: those of four digits and more.
func issues(word string) []string {
	numbers := strings.FieldsFunc(word, func(r rune) bool { return r < '0' || r > '9' })
	return slices.DeleteFunc(numbers, func(number string) bool { return len(number) < len("1000") })
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
