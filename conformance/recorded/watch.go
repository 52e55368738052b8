package recorded

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/watchbed/watchbed/conformance/realetcd"
	"github.com/watchbed/watchbed/model"
)

// Stream is a watch stream of which all is recorded.
type Stream struct {
	*realetcd.Stream
	client string
	// come has the responses that Next has not returned yet.
	come chan *pb.WatchResponse

	mu    sync.Mutex
	all   []*model.WatchStream
	by    Watches[*model.WatchStream]
	lines []string
	err   error
}

// Ended is the error with which the stream has ended, nil if it goes on.
func (s *Stream) Ended() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Watches are those of a stream: Asked are the create requests that were not answered yet, in their order, in which
// they are answered; live are the watches by their ids.
type Watches[W any] struct {
	Asked []W
	live  map[int64]W
}

// Of are the watches that a response is for: one with no watch's id is for all of the stream.
func (w *Watches[W]) Of(p *pb.WatchResponse) (all []W) {
	if p.Created && len(w.Asked) > 0 {
		if w.live == nil {
			w.live = map[int64]W{}
		}
		w.live[p.WatchId], w.Asked = w.Asked[0], w.Asked[1:]
	}
	for _, id := range slices.Sorted(maps.Keys(w.live)) {
		if id == p.WatchId || p.WatchId == realetcd.AllWatchers && !p.Created {
			all = append(all, w.live[id])
		}
	}
	if p.Canceled {
		delete(w.live, p.WatchId)
	}
	return all
}

// Watch opens a stream. The caller must Close it. Nothing is received before a channel is closed, if there is one.
func (r *Recorder) Watch(ctx context.Context, conn *grpc.ClientConn, client string, hold <-chan struct{}) (*Stream, error) {
	opened, err := realetcd.OpenStream(ctx, conn)
	if err != nil {
		return nil, err
	}
	s := &Stream{Stream: opened, client: client, come: make(chan *pb.WatchResponse, 1024)}
	r.mu.Lock()
	r.streams = append(r.streams, s)
	r.mu.Unlock()
	go s.receive(hold)
	return s, nil
}

func (s *Stream) receive(hold <-chan struct{}) {
	defer close(s.come)
	if hold != nil {
		select {
		case <-hold:
		case <-s.Done():
		}
	}
	for {
		p, err := s.Recv()
		if err != nil {
			s.mu.Lock()
			s.err = err
			s.mu.Unlock()
			return
		}
		s.take(p)
		select {
		case s.come <- p:
		case <-s.Done():
			return
		}
	}
}

// take records a response.
func (s *Stream) take(p *pb.WatchResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, "<- "+Describe(p))
	for _, w := range s.by.Of(p) {
		w.Responses = append(w.Responses, ResponseOf(p))
	}
}

func (s *Stream) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, "-> "+fmt.Sprintf(format, args...))
}

// Create asks for a watch.
func (s *Stream) Create(c *pb.WatchCreateRequest) error {
	s.say("watch [%s, %s) from revision %d", c.Key, c.RangeEnd, c.StartRevision)
	w := WatchOf(c)
	s.mu.Lock()
	s.by.Asked, s.all = append(s.by.Asked, w), append(s.all, w)
	s.mu.Unlock()
	return s.Stream.Create(c)
}

// Cancel asks for the end of a watch.
func (s *Stream) Cancel(id int64) error {
	s.say("cancel watch %d", id)
	return s.Stream.Cancel(id)
}

// RequestProgress asks how far the stream as a whole has got.
func (s *Stream) RequestProgress() error {
	s.say("progress request")
	return s.Stream.RequestProgress()
}

// Next is the next response, nil if there is none until the context is done or the stream has ended.
func (s *Stream) Next(ctx context.Context) *pb.WatchResponse {
	select {
	case p := <-s.come:
		return p
	case <-ctx.Done():
		return nil
	}
}

// Transcript is what was sent and received up to a response of the stream, and the response behind it, a line each.
func (s *Stream) Transcript(response int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, line := range s.lines {
		if strings.HasPrefix(line, "<-") {
			if response--; response < -1 {
				return slices.Clone(s.lines[:i+1])
			}
		}
	}
	return slices.Clone(s.lines)
}

// recorded are the watches so far.
func (s *Stream) recorded() []model.WatchStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []model.WatchStream
	for _, w := range s.all {
		r := model.WatchStream{Request: w.Request, Responses: slices.Clone(w.Responses)}
		if registeredLate(&r) {
			r.Request.PrevKV = false
			for i := range r.Responses {
				r.Responses[i].Events = slices.Clone(r.Responses[i].Events)
				for k := range r.Responses[i].Events {
					r.Responses[i].Events[k].PrevItem = nil
				}
			}
		}
		all = append(all, r)
	}
	return all
}

// registeredLate reports whether the first events of a watch have no previous values, and later ones do, or did not come:
// every release of etcd stores that they are wanted when the watch is registered already. They are not judged then.
func registeredLate(w *model.WatchStream) bool {
	events := func(r model.WatchResponse) bool { return len(r.Events) > 0 }
	has := func(r model.WatchResponse) bool {
		return slices.ContainsFunc(r.Events, func(e model.WatchEvent) bool { return e.PrevItem != nil })
	}
	first := slices.IndexFunc(w.Responses, events)
	if !w.Request.PrevKV || first < 0 || has(w.Responses[first]) {
		return false
	}
	later := w.Responses[first+1:]
	return slices.ContainsFunc(later, has) || !slices.ContainsFunc(later, events)
}
