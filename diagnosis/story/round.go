package story

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// round is what a run that never comes to rest does again and again until it is ended. The zero value is none.
type round struct {
	// first and last are the steps of the first round, times is how often the run goes through such steps.
	first, last, times int
}

// minRounds is how often steps have to come at the end of a run until they count as a round.
const minRounds = 3

// repeated is the round that the run ends with. It is that of most steps, and of the same number of steps the shortest
// one. A story tells its first round: the others do the same.
func (r *Run) repeated() round {
	if r.finding.Property != testbed.ComingToRest.Name {
		return round{}
	}
	names := backwards(r.Trace.Steps)
	border := borders(names)
	for n := len(names); n > 0; n-- {
		period := n - border[n]
		if n < minRounds*period {
			continue
		}
		first := len(names) - n
		for i := first; i < first+period; i++ {
			// Nothing but timers could happen there.
			if r.Trace.Steps[i].Kind == sim.Fire {
				first = i
				break
			}
		}
		return round{first, first + period - 1, (len(names) - first) / period}
	}
	return round{}
}

// backwards are the names of steps from the last one on, as numbers. Names that differ in a count, such as that of a
// message in its stream, are the same.
func backwards(steps []trace.Step) []int {
	numbers, names := map[string]int{}, make([]int, 0, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		name := strings.Map(func(c rune) rune {
			if unicode.IsDigit(c) {
				return -1
			}
			return c
		}, steps[i].Name)
		n, known := numbers[name]
		if !known {
			n = len(numbers)
			numbers[name] = n
		}
		names = append(names, n)
	}
	return names
}

// borders are, of each beginning of a list, the length of the longest shorter beginning that it ends with (the failure
// function of Knuth, Morris and Pratt).
func borders(list []int) []int {
	border := make([]int, len(list)+1)
	for i := 1; i < len(list); i++ {
		b := border[i]
		for b > 0 && list[b] != list[i] {
			b = border[b]
		}
		if list[b] == list[i] {
			b++
		}
		border[i+1] = b
	}
	return border
}

// repeat: the violation is what the run does again and again. The story is what led to the first round.
func (a *about) repeat(r *Run, again round) {
	r.shows = again.last
	for i := again.first; i <= again.last; i++ {
		if len(r.Trace.Steps[i].Notes) == 0 {
			continue
		}
		if a.asked < 0 {
			a.asked = i
		}
		a.wrong = i
	}
	if a.wrong < 0 {
		for i := again.first; i <= min(again.last, again.first+lastOfRow); i++ {
			a.tells = append(a.tells, i)
		}
	}
	a.end(a.wrong)
	a.until = again.last
}

// String says what comes again.
func (again round) String() string {
	steps := fmt.Sprintf("steps %d to %d come", again.first+1, again.last+1)
	if again.first == again.last {
		steps = fmt.Sprintf("step %d comes", again.first+1)
	}
	return fmt.Sprintf("each client has ended, and %s again and again: %d times until the run is ended", steps, again.times)
}
