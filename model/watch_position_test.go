package model

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/testsize"
)

// Two streams with the same changes and the same position are judged alike however they go
// on, on each guarantee that neither violates so far; and without any part of the position
// two of them are not. All streams of up to three responses are looked at, two at the smaller
// sizes, and each goes on with all sequences of up to two more.
func TestPositionIsEnough(t *testing.T) {
	log := NewLog(Initial{Revision: 1})
	log.Append(&Request{Kind: Put, Key: "a", Value: "1"})
	log.Append(&Request{Kind: Txn, Success: []Request{{Kind: Put, Key: "a", Value: "2"}, {Kind: Put, Key: "b", Value: "2"}}})
	require.EqualValues(t, 3, log.Revision())
	var letters []WatchResponse
	for rev := int64(1); rev <= 3; rev++ {
		letters = append(letters, WatchResponse{Created: true, Revision: rev}, WatchResponse{Progress: true, Revision: rev})
	}
	letters = append(letters, WatchResponse{Fragment: true, Revision: 3})
	for _, events := range [][]WatchEvent{log.events(2), log.events(3)[:1], log.events(3)[1:], log.events(3)} {
		letters = append(letters, WatchResponse{Revision: 3, Events: events}, WatchResponse{Revision: 3, Events: events, Fragment: true})
	}
	suffixes := words(letters, 2)
	var streams [][]judgedStream
	for _, start := range []int64{0, 2} {
		streams = append(streams, judgedStreams(words(letters, testsize.Of(3, 2)), suffixes, start, log))
	}

	for _, part := range []struct {
		name   string
		forget func(*WatchPosition)
	}{
		{"", func(*WatchPosition) {}},
		{"Start", func(p *WatchPosition) { p.Start = 0 }},
		{"Whole", func(p *WatchPosition) { p.Whole = 0 }},
		{"Marked", func(p *WatchPosition) { p.Marked = 0 }},
	} {
		t.Run("without "+part.name, func(t *testing.T) {
			differ := ""
			for _, of := range streams {
				differ += differences(of, suffixes, part.forget)
			}
			if part.name == "" {
				require.Empty(t, differ)
			} else {
				require.NotEmpty(t, differ)
			}
		})
	}
}

// words are all sequences of up to n letters.
func words(letters []WatchResponse, n int) [][]WatchResponse {
	all := [][]WatchResponse{nil}
	for from := 0; n > 0; n-- {
		until := len(all)
		for _, w := range all[from:until] {
			for _, l := range letters {
				all = append(all, append(slices.Clip(w), l))
			}
		}
		from = until
	}
	return all
}

// judgedStream is a stream, what is kept of it, and what it violates with each suffix. The
// first suffix is none.
type judgedStream struct {
	responses []WatchResponse
	position  WatchPosition
	came      string
	violated  [][len(guarantees)]bool
}

func judgedStreams(prefixes, suffixes [][]WatchResponse, start int64, log *Log) (all []judgedStream) {
	var checker WatchChecker
	var found []WatchJudgement
	for _, prefix := range prefixes {
		ws := WatchStream{Request: WatchRequest{Key: "a", End: "c", StartRevision: start}, Responses: prefix}
		of := judgedStream{prefix, ws.Position(), came(prefix), make([][len(guarantees)]bool, len(suffixes))}
		for i, s := range suffixes {
			ws.Responses = append(slices.Clip(prefix), s...)
			found = checker.Check(found[:0], []WatchStream{ws}, log)
			for g := range found {
				of.violated[i][g] = found[g].Verdict == Violated
			}
		}
		all = append(all, of)
	}
	return all
}

// differences names two streams that are taken for one and judged otherwise, "" if there
// are none.
func differences(streams []judgedStream, suffixes [][]WatchResponse, forget func(*WatchPosition)) string {
	type kept struct {
		WatchPosition
		came string
	}
	// alike are the streams that are taken for one, of each set of violations so far the first.
	alike := map[kept][]*judgedStream{}
	for n := range streams {
		this := &streams[n]
		k := kept{this.position, this.came}
		forget(&k.WatchPosition)
		again := false
		for _, other := range alike[k] {
			again = again || this.violated[0] == other.violated[0]
			for i := range suffixes {
				for g := range guarantees {
					if !this.violated[0][g] && !other.violated[0][g] && this.violated[i][g] != other.violated[i][g] {
						return fmt.Sprintf("%s: %+v and %+v, then %+v", guarantees[g], other.responses, this.responses, suffixes[i])
					}
				}
			}
		}
		if !again {
			alike[k] = append(alike[k], this)
		}
	}
	return ""
}

// came are the changes of responses, in an order that does not depend on theirs.
func came(responses []WatchResponse) string {
	var all []string
	for _, r := range responses {
		for _, e := range r.Events {
			all = append(all, fmt.Sprint(e.Revision, e.Item.Key, e.Type))
		}
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}
