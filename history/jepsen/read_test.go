package jepsen_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/history/jepsen"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
)

func judged(t *testing.T, text string) map[string]check.Judgement {
	t.Helper()
	h, _, err := jepsen.Read(strings.NewReader(text))
	require.NoError(t, err)
	r, err := check.History(h, check.Options{})
	require.NoError(t, err)
	all := map[string]check.Judgement{}
	for _, j := range r.Judgements {
		all[j.Property] = j
	}
	return all
}

// goodRegister is a test of one register that is right, as a log or with maps: each operation happens at one
// moment between its two lines, or in no moment if it fails, for whatever reason, or is of unknown outcome.
func goodRegister(rng *rand.Rand, operations int) string {
	type running struct {
		process, f, value string
		ended             string
	}
	var text strings.Builder
	asMaps := rng.IntN(2) == 0
	line := func(kind string, r *running, value, failed string) {
		switch {
		case asMaps && failed != "":
			fmt.Fprintf(&text, "{:process %s, :type :%s, :f :%s, :value %s, :error %s}\n", r.process, kind, r.f, value, failed)
		case asMaps:
			fmt.Fprintf(&text, "{:process %s, :type :%s, :f :%s, :value %s}\n", r.process, kind, r.f, value)
		default:
			fmt.Fprintf(&text, "INFO  jepsen.util - %s\t:%s\t:%s\t%s\n", r.process, kind, r.f, value)
		}
	}
	register, next := "nil", 5
	processes := []string{"0", "1", "2", "3", "4"}
	open := make([]*running, len(processes))
	// late are operations of unknown outcome that may still happen.
	var late []*running
	value := func() string { return strconv.Itoa(rng.IntN(5)) }
	happen := func(r *running) (did bool) {
		switch from, to, _ := strings.Cut(strings.Trim(r.value, "[]"), " "); {
		case r.f == "write":
			register = r.value
		case r.f == "cas" && register != from:
			return false
		case r.f == "cas":
			register = to
		}
		return true
	}
	for operations > 0 || slices.ContainsFunc(open, func(r *running) bool { return r != nil }) {
		if n := rng.IntN(8); n < len(late) {
			happen(late[n])
			late = slices.Delete(late, n, n+1)
			continue
		}
		i := rng.IntN(len(processes))
		switch r := open[i]; {
		case r == nil && operations > 0:
			operations--
			r = &running{process: processes[i], f: []string{"read", "write", "cas"}[rng.IntN(3)], value: "nil"}
			if r.f == "write" {
				r.value = value()
			} else if r.f == "cas" {
				r.value = "[" + value() + " " + value() + "]"
			}
			line("invoke", r, r.value, "")
			open[i] = r
		case r == nil:
		case r.ended == "":
			switch n := rng.IntN(20); {
			case n == 0:
				r.ended = "info"
				if rng.IntN(2) == 0 {
					late = append(late, r)
				}
			case n < 3:
				// An election, a full disk: the reason is not always told.
				r.ended = "fail"
			case !happen(r):
				r.ended = "compared"
			default:
				r.ended = "ok"
				if r.f == "read" {
					r.value = register
				}
			}
		default:
			failed := ""
			switch r.ended {
			case "info":
				line("info", r, r.value, ":timed-out")
				processes[i], next = strconv.Itoa(next), next+1
			case "compared":
				if rng.IntN(2) == 0 {
					failed = ":did-not-succeed"
				}
				line("fail", r, r.value, failed)
			default:
				line(r.ended, r, r.value, "")
			}
			open[i] = nil
		}
	}
	return text.String()
}

// TestGoodRegistersHold: what a register does that is right holds, whatever fails.
func TestGoodRegistersHold(t *testing.T) {
	n := uint64(testsize.Of(3000, 600))
	for seed := range n {
		text := goodRegister(rand.New(rand.NewPCG(seed, 1)), 10+int(seed%80))
		for property, j := range judged(t, text) {
			require.Contains(t, []model.Verdict{model.Holds, model.Vacuous}, j.Verdict, "seed %d, %s: %s\n%s", seed, property, j.Reason, text)
		}
	}
}

// TestReadRefuses: what testdata of package check cannot hold.
func TestReadRefuses(t *testing.T) {
	invoke := "{:type :invoke, :process 0, :f :read, :value nil}\n"
	for text, want := range map[string]string{
		"": "line 1: no process does anything",
		invoke + "{:type :ok, :process 0, :f :read, :value \"\xff\"}":            "line 2: not valid UTF-8",
		"0\t:invoke\t:read\tnil\n" + strings.Repeat(" ", history.MaxLineBytes+1): "line 2: longer than 16777216 bytes: leave out the two lines of the operation",
	} {
		_, _, err := jepsen.Read(strings.NewReader(text))
		require.EqualError(t, err, want)
	}
}
