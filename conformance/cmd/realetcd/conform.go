package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/conformance/recorded"
	"github.com/watchbed/watchbed/model"
)

// Config is what is asked of a server.
type Config struct {
	// Prefix is that of all keys, which nothing else has. All of it is deleted at the end.
	Prefix string `json:"prefix"`
	// For is how long concurrent clients and watches go on.
	For time.Duration `json:"-"`
	// Seed is that of what clients draw. The order in which the server does it is not drawn.
	Seed uint64 `json:"seed"`
	// Notified is how long the first progress notification without a request may take.
	Notified time.Duration `json:"-"`
	// Compact allows compactions. They take the history of the whole store.
	Compact bool `json:"-"`
	// Keep is given each history that violates a promise, and returns its name.
	Keep func(*model.History) (string, error) `json:"-"`
}

// Verdict is what was found out about a promise.
type Verdict string

// NotOffered: the server says that it does not have it. NotTried: Report says why.
const (
	Holds      Verdict = "holds"
	Violated   Verdict = "violated"
	Unknown    Verdict = "unknown"
	NotOffered Verdict = "not offered"
	NotTried   Verdict = "not tried"
)

// Promise is one of etcd's, and what became of it.
type Promise struct {
	Name string `json:"name"`
	// Asks is the promise in a sentence, Source where etcd or an issue says so.
	Asks    string  `json:"asks"`
	Source  string  `json:"source,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Checked is how often it was put to the test, Violations in how many histories or tries it was not kept.
	Checked    int `json:"checked"`
	Violations int `json:"violations,omitempty"`
	// Sentence says what is wrong, or why there is no verdict. Transcript has the messages, the newest last.
	Sentence   string   `json:"sentence,omitempty"`
	Transcript []string `json:"transcript,omitempty"`
	// History is the name of the first history that violates it.
	History string `json:"history,omitempty"`
}

// Report is what was found out about a server.
type Report struct {
	Endpoint string `json:"endpoint"`
	Config
	// Version is what the server reports.
	Version string `json:"version"`
	// Kubernetes: the server refuses a plain deletion, and was sent only requests of the shapes that an API server
	// sends.
	Kubernetes bool `json:"kubernetes,omitempty"`
	// Took is in seconds.
	Took     float64 `json:"took"`
	Requests int     `json:"requests"`
	// Histories is how many were recorded and judged.
	Histories int       `json:"histories"`
	Promises  []Promise `json:"promises"`
	// Caches are what a cache in front of the server may rely on.
	Caches []Use `json:"caches"`
}

// Promise is one by its name, nil if there is none.
func (r *Report) Promise(name string) *Promise {
	if i := slices.IndexFunc(r.Promises, func(p Promise) bool { return p.Name == name }); i >= 0 {
		return &r.Promises[i]
	}
	return nil
}

// server is the subject of a report.
type server struct {
	Config
	kv       pb.KVClient
	watch    pb.WatchClient
	lease    pb.LeaseClient
	conn     *grpc.ClientConn
	requests int
	report   *Report
	// lost is why a history was not kept.
	lost error
}

// Run asks a server. With an error the report is what was found before.
func Run(ctx context.Context, conn *grpc.ClientConn, cfg Config) (*Report, error) {
	s := &server{Config: cfg, kv: pb.NewKVClient(conn), watch: pb.NewWatchClient(conn), lease: pb.NewLeaseClient(conn), conn: conn, report: &Report{Config: cfg}}
	began := time.Now()
	err := s.run(ctx, conn)
	err = errors.Join(err, s.lost)
	s.report.Caches = uses(s.report)
	s.report.Took, s.report.Requests = time.Since(began).Seconds(), s.requests
	if left := s.remove(ctx); left != nil {
		err = errors.Join(err, fmt.Errorf("keys are left below %s: %w", s.Prefix, left))
	}
	return s.report, err
}

func (s *server) run(ctx context.Context, conn *grpc.ClientConn) error {
	began := time.Now()
	of, err := pb.NewMaintenanceClient(conn).Status(ctx, &pb.StatusRequest{})
	if err != nil {
		return err
	}
	s.report.Version = of.Version
	_, err = s.kv.DeleteRange(ctx, &pb.DeleteRangeRequest{Key: []byte(s.Prefix + "none")})
	s.report.Kubernetes = status.Code(err) == codes.Unimplemented
	if fatal(err) {
		return err
	}
	periodic := s.periodically(ctx)
	for n := 0; n == 0 || time.Since(began) < s.For; n++ {
		s.report.Histories++
		if err := s.round(ctx, n); err != nil {
			return err
		}
	}
	for i := range probes {
		if err := s.try(ctx, &probes[i]); err != nil {
			return err
		}
	}
	s.report.Promises = append(s.report.Promises, <-periodic)
	return nil
}

// fatal reports whether an error says that the server carries out no requests, or none of this client.
func fatal(err error) bool {
	switch status.Code(err) {
	case codes.PermissionDenied, codes.Unauthenticated, codes.ResourceExhausted:
		return true
	}
	return false
}

// remove deletes what is left, also after an interrupt.
func (s *server) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if !s.report.Kubernetes {
		_, err := s.kv.DeleteRange(ctx, &pb.DeleteRangeRequest{Key: []byte(s.Prefix), RangeEnd: end(s.Prefix)})
		return err
	}
	left, err := s.kv.Range(ctx, &pb.RangeRequest{Key: []byte(s.Prefix), RangeEnd: end(s.Prefix)})
	for i := 0; err == nil && i < len(left.Kvs); i++ {
		_, err = s.kv.Txn(ctx, recorded.DeleteIf(left.Kvs[i].Key, left.Kvs[i].ModRevision))
	}
	return err
}

func end(prefix string) []byte { return []byte(model.PrefixEnd(prefix)) }

const (
	// patience is how long an answer may take, or an event.
	patience = 5 * time.Second
	writers  = 4
	perRound = 50
	// catchUps is how many watches of a round begin in the past and ask for progress at once (etcd #15220).
	catchUps = 20
)

// round has clients and watches of a prefix of their own work at the same time, and judges what they saw.
func (s *server) round(ctx context.Context, n int) error {
	prefix := fmt.Sprintf("%sround-%d/", s.Prefix, n)
	before, err := s.kv.Range(ctx, &pb.RangeRequest{Key: []byte(prefix), RangeEnd: end(prefix)})
	if err != nil {
		return err
	}
	rec, initial := &recorded.Recorder{}, model.Initial{Revision: before.Header.Revision}
	var clients, watches sync.WaitGroup
	errs := make([]error, writers+catchUps)
	over, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range writers {
		clients.Go(func() { errs[i] = s.client(ctx, rec, prefix, fmt.Sprintf("client-%d", i+1), uint64(n*writers+i)) })
	}
	for i := range catchUps {
		draw := rand.New(rand.NewPCG(s.Seed, uint64(n*catchUps+i)<<32))
		watches.Go(func() {
			errs[writers+i] = s.follow(ctx, over, rec, prefix, fmt.Sprintf("watch-%d", i+1), initial.Revision+1, draw)
		})
	}
	clients.Wait()
	// What the watches are still owed comes before the answer to a progress request, or with it.
	wait(ctx, patience/10)
	cancel()
	watches.Wait()
	// One of many clients that were cut off says it for all.
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	s.requests += writers*perRound + catchUps
	h := rec.History(initial)
	addOthers(h)
	judged, err := check.History(h, check.Options{})
	if err != nil {
		return err
	}
	s.add(judged, h, rec)
	return nil
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// client sends drawn requests, one after the other.
func (s *server) client(ctx context.Context, rec *recorded.Recorder, prefix, name string, stream uint64) error {
	draw := rand.New(rand.NewPCG(s.Seed, stream))
	w := &recorded.Workload{Rand: draw, Name: name, Prefix: prefix, Kubernetes: s.report.Kubernetes}
	for range perRound {
		wait(ctx, time.Duration(draw.Int64N(int64(3*time.Millisecond))))
		request := w.Next()
		bounded, cancel := context.WithTimeout(ctx, patience)
		response, err := rec.Do(bounded, s.kv, name, request)
		cancel()
		switch {
		case err == nil:
			w.Observe(request, response)
		case ctx.Err() != nil:
			return ctx.Err()
		case fatal(err):
			return err
		}
	}
	return nil
}

// follow opens watches from the first revision of the round, one after the other, and asks each for progress, until
// the clients have done their part.
func (s *server) follow(ctx, over context.Context, rec *recorded.Recorder, prefix, name string, first int64, draw *rand.Rand) error {
	for i := 1; over.Err() == nil; i++ {
		wait(over, time.Duration(draw.Int64N(int64(100*time.Millisecond))))
		stream, err := rec.Watch(ctx, s.conn, fmt.Sprintf("%s.%d", name, i), nil)
		if err != nil {
			return err
		}
		create := &pb.WatchCreateRequest{Key: []byte(prefix), RangeEnd: end(prefix), ProgressNotify: true, PrevKv: s.report.Kubernetes}
		switch draw.IntN(6) {
		case 0:
			create.Key, create.RangeEnd = []byte(prefix+recorded.Names[draw.IntN(len(recorded.Names))]), nil
		case 1:
			create.Key, create.RangeEnd = []byte(prefix+"b"), []byte(prefix+"d")
		}
		if draw.IntN(4) > 0 {
			// From the present on, etcd itself sends no previous values of what comes while it creates the watch.
			create.StartRevision, create.PrevKv = first, s.report.Kubernetes || draw.IntN(2) == 0
		}
		life, cancel := context.WithTimeout(over, time.Duration(draw.Int64N(int64(400*time.Millisecond))))
		if stream.Create(create) == nil {
			for ok := true; ok && life.Err() == nil; ok = stream.RequestProgress() == nil {
				asked, done := context.WithTimeout(life, time.Duration(draw.Int64N(int64(20*time.Millisecond))))
				for stream.Next(asked) != nil {
				}
				done()
			}
		}
		cancel()
		stream.Close()
	}
	return nil
}

// judgedNames are the promises that histories are judged by, and what they promise.
var judgedNames = map[string][2]string{
	"linearizable":      {"Requests take effect one after the other, each between its call and its answer.", "etcd: KV API guarantees"},
	"linearizable-data": {"A read shows each write that was answered before the read was sent.", "etcd: KV API guarantees"},
	"sequential":        {"A serializable read shows the store as it was at some time.", "etcd: KV API guarantees"},
	"exact":             {"A read of a past revision shows the store of that revision.", "etcd: KV API guarantees"},
	"ordered":           {"Events of a watch come in the order of revisions.", "etcd: watch API guarantees"},
	"unique":            {"An event comes once.", "etcd: watch API guarantees"},
	"reliable":          {"No event of a watch is left out.", "etcd: watch API guarantees"},
	"atomic":            {"Events of one revision come in one response.", "etcd: watch API guarantees"},
	"resumable":         {"A watch from a past revision has each event since then.", "etcd: watch API guarantees"},
	"bookmarkable":      {"Progress of a revision comes behind all events up to it.", "etcd-io/etcd#15220"},
	"prevKV":            {"The previous value of an event is the one before it.", "etcd: watch API"},
}

// add joins the judgements on a round with those before.
func (s *server) add(judged *check.Result, h *model.History, rec *recorded.Recorder) {
	kept := ""
	for i := range judged.Judgements {
		j := &judged.Judgements[i]
		says, known := judgedNames[j.Property]
		if !known {
			continue
		}
		p := s.report.Promise(j.Property)
		if p == nil {
			s.report.Promises = append(s.report.Promises, Promise{Name: j.Property, Asks: says[0], Source: says[1], Verdict: Unknown, Sentence: "no history has put it to the test"})
			p = &s.report.Promises[len(s.report.Promises)-1]
		}
		p.Checked += j.Exercised
		switch {
		case j.Verdict == model.Holds && p.Verdict == Unknown:
			p.Verdict, p.Sentence = Holds, ""
		case j.Verdict == model.VerdictUnknown && p.Verdict != Violated:
			p.Verdict, p.Sentence = Unknown, j.Reason
		case j.Verdict == model.Violated:
			p.Violations++
			if p.Verdict == Violated {
				continue
			}
			if kept == "" && s.Keep != nil {
				var err error
				kept, err = s.Keep(h)
				s.lost = cmp.Or(s.lost, err)
			}
			p.Verdict, p.History = Violated, kept
			if j.Operations != nil {
				p.Sentence = j.Operations.Sentence
			} else {
				// What did not come has no response.
				p.Sentence, p.Transcript = j.Watch.Sentence, rec.Transcript(j.Watch.Client, cmp.Or(max(j.Watch.Response, 0), math.MaxInt-1))
			}
		}
	}
}

// addOthers adds the writes of other clients to a history whose own writes are all known. They made the revisions that
// no recorded write made, and elsewhere: the keys of a round are its own.
func addOthers(h *model.History) {
	if h.Partial {
		return
	}
	newest, made := h.Initial.Revision, map[int64]bool{}
	for _, op := range h.Operations {
		if op.Outcome != model.Done {
			continue
		}
		newest = max(newest, op.Result.Revision)
		if op.Request.IsWrite() && op.Request.Changed(op.Result) {
			made[op.Result.Revision] = true
		}
	}
	for _, w := range h.Watchers {
		for i := range w.Streams[0].Responses {
			newest = max(newest, w.Streams[0].Responses[i].Revision)
		}
	}
	for revision := h.Initial.Revision + 1; revision <= newest; revision++ {
		if !made[revision] {
			h.Clients = append(h.Clients, fmt.Sprint("another client ", revision))
			h.Operations = append(h.Operations, model.Operation{
				Client: len(h.Clients) - 1, Return: math.MaxInt64, Request: &model.Request{Kind: model.Put, Key: "elsewhere"}, Outcome: model.Unknown, Commit: revision,
			})
		}
	}
	slices.SortStableFunc(h.Operations, func(a, b model.Operation) int { return cmp.Compare(a.Call, b.Call) })
}
