package cache_test

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// TestInteractions holds a cache to the files in testdata/interactions. command says what they can have. Run it with
// -rewrite to write anew what the cache does, and read the diff.
func TestInteractions(t *testing.T) {
	datadriven.Walk(t, "testdata/interactions", func(t *testing.T, path string) {
		s := &session{bed: &bed{t: t}, forks: map[string]*session{}}
		s.begin(nil)
		s.settle()
		s.out.Reset()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			line := d.Cmd
			for _, arg := range d.CmdArgs {
				line += " " + arg.String()
			}
			for _, line := range append([]string{line}, strings.Split(d.Input, "\n")...) {
				s.command(line)
			}
			out := s.out.String()
			s.out.Reset()
			return out
		})
	})
}

// session is a cache between etcd and clients that do what a file says.
type session struct {
	*bed
	out strings.Builder
	// objects are what etcd listed and sent last.
	objects map[string]*wire.KeyValue
	// streams are the connections to etcd, clients those of clients, in the order of their first messages.
	streams, clients []sim.Conn
	feed             sim.Conn
	// token is the continue token that a client was given last, asked the id of the last request for progress.
	token string
	asked int64
	// forks are caches that wait to go on. A fork has its fingerprint of then.
	forks       map[string]*session
	fingerprint sim.Digest

	state  string
	counts []uint64

	// columns, before and after are a table: a new cache each, and what happens before and after what a row asks.
	columns, before, after []string
}

// command carries out a line: what etcd, its clients and the compactor do, or a step of the world by its name. Then all
// happens that can, but timers and faults, unless the line ends in "...". With a clock all happens that is due.
//
//	cache ring=3 design=stale   a new cache, which is kep-2340 but for its options; timed, endpoints=2, index=FIELD,
//	                            field=FIELD and compactor are what it is in
//	listed 5 a@3 b=2@5          it lists, and watches; what is said until then is left out
//	etcd lists 5 a@3 more       etcd answers the oldest range. In its place it refuses, or breaks
//	etcd sends ADDED c@6        etcd's watch: MODIFIED, DELETED, BOOKMARK 9 (end, or echo), ERROR compacted
//	etcd always list=5          etcd answers at once from now on
//	LIST ns rv=5 exact limit=2  requests arrive, and clients are numbered; client 1 stops, reads, or leaves
//	fork A, as A                the cache goes on as it was at the fork
//	columns A: x=y | B: x=z     a table: what becomes of the request of each row, in a new cache for each column
func (s *session) command(line string) {
	line, holds := strings.CutSuffix(line, " ...")
	f := strings.Fields(line)
	if len(f) == 0 {
		return
	}
	f = append(f, "")
	rest := f[1 : len(f)-1]
	switch f[0] {
	case "cache":
		s.begin(rest)
	case "listed":
		// What happens until the cache has listed and watches is not told again.
		s.settle()
		s.etcd("lists", rest)
		s.settle()
		s.out.Reset()
	case "run", "fire", "deliver", "inject":
		s.do(line)
	case "etcd":
		s.etcd(f[1], rest[1:])
	case "compactor":
		_, conn := take[*wire.CompactRevisionRequest](s.bed, s.up)
		s.say(conn, &wire.CompactRevisionResponse{Revision: s.number(f[1])})
	case "client":
		s.client(s.clients[s.number(f[1])-1], f[2])
	case "LIST", "GET", "WATCH", "WATCHLIST", "READYZ":
		s.request(f[0], rest)
	case "choose":
		what, n, _ := strings.Cut(strings.Join(rest, " "), "=")
		s.choices[what] = int(s.number(n))
	case "snapshots":
		s.cache.AscendSnapshots(func(until int64, ascend func(func(*wire.KeyValue) bool)) {
			s.tell("until %d: %s", until, strings.Join(keysOf(ascend), " "))
		})
	case "restart":
		restart := &sim.RestartProcess{Nodes: []sim.NodeID{cacheID}, Label: "cache"}
		s.w.Admit(s, 0, restart.Strike)
	case "channel":
		s.channel(rest)
		return
	case "versions":
		s.versions(rest)
		return
	case "columns":
		s.columns, s.before, s.after = strings.Split(strings.Join(rest, " "), " | "), nil, nil
		return
	case "before":
		s.before = append(s.before, strings.Join(rest, " "))
	case "after":
		s.after = append(s.after, strings.Join(rest, " "))
	case "row":
		s.row(strings.Join(rest, " "))
		return
	case "until":
		s.until(s.time(f[1]))
	case "fork":
		s.settle()
		s.forks[f[1]] = s.fork()
	case "as":
		s.as(f[1])
	case "enabled":
		for _, a := range s.w.Enabled() {
			if a.Kind != sim.Inject {
				s.tell("%s", s.w.Name(a))
			}
		}
		holds = true
	case "metrics":
		s.metrics()
	case "notes":
		s.w.SetObserver(s)
	case "settle":
	default:
		require.Fail(s.t, "unknown command", line)
	}
	if !holds {
		s.settle()
	}
	s.report()
}

func (s *session) tell(format string, args ...any) {
	if s.w.Mode() == sim.Timed {
		fmt.Fprintf(&s.out, "%-7v ", time.Duration(s.w.Now()))
	}
	fmt.Fprintf(&s.out, format+"\n", args...)
}

func (s *session) number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(s.t, err)
	return n
}

func (s *session) time(text string) sim.Time {
	d, err := time.ParseDuration(text)
	require.NoError(s.t, err)
	return sim.Time(d)
}

// begin makes a new cache. Its design is kep-2340 but for what is set.
func (s *session) begin(settings []string) {
	o, world, endpoints, fields, compactor := options(s.t, "kep-2340"), sim.Options{}, 1, store.Fields(nil), sim.NodeID(0)
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		switch name {
		case "design":
			o = options(s.t, value)
		case "timed":
			world.Mode = sim.Timed
		case "endpoints":
			endpoints = int(s.number(value))
		case "field":
			fields = store.Fields{{Name: value, Value: node}}
		case "index":
			fields = store.Fields{{Name: value, Value: node, Indexed: true}}
		case "compactor":
			compactor = upID
		case "request-timeout":
			o.RequestTimeout = time.Duration(s.time(value))
		default:
			var err error
			o, err = o.With(name, value)
			require.NoError(s.t, err)
		}
	}
	cfg := config(o)
	cfg.Endpoints, cfg.Fields, cfg.Compactor = endpoints, fields, compactor
	*s = session{bed: newBedIn(s.t, world, cfg), objects: map[string]*wire.KeyValue{}, forks: s.forks}
	s.counts = make([]uint64, len(sim.CoveragePoints()))
	s.listen()
	s.report()
}

// fork is the same cache, which goes on by itself: whatever others have done, it is what it was.
func (s *session) fork() *session {
	c := *s
	c.fingerprint = s.cache.Fingerprint(sim.NewDigest)
	if s.fingerprint != (sim.Digest{}) {
		require.Equal(s.t, s.fingerprint, c.fingerprint)
	}
	c.out = strings.Builder{}
	c.bed = s.bed.clone()
	require.Equal(s.t, c.fingerprint, c.cache.Fingerprint(sim.NewDigest))
	c.streams, c.clients, c.counts = slices.Clone(s.streams), slices.Clone(s.clients), slices.Clone(s.counts)
	return &c
}

// as goes on with a fork. What is said of it stays in this session's text.
func (s *session) as(name string) {
	text, forks := s.out.String(), s.forks
	*s = *forks[name].fork()
	s.fingerprint = sim.Digest{}
	s.forks = forks
	s.out.WriteString(text)
	s.listen()
	s.tell("as %s:", name)
}

// listen writes down what etcd and the clients receive, and what becomes of the cache in each step.
func (s *session) listen() {
	s.stepped = s.report
	s.up.hear = func(_ *sim.Env, m *sim.Message) {
		if !slices.Contains(s.streams, m.Conn) {
			s.streams = append(s.streams, m.Conn)
		}
		switch p := m.Payload.(type) {
		case *wire.WatchStart:
			s.feed = m.Conn
		case *wire.ProgressRequest:
			s.asked = p.ID
		}
		s.tell("etcd %d: %s", slices.Index(s.streams, m.Conn)+1, show(m.Payload))
	}
	s.down.hear = func(_ *sim.Env, m *sim.Message) {
		if list, ok := m.Payload.(*wire.ListResponse); ok && list.Continue != "" {
			s.token = list.Continue
		}
		s.tell("client %d: %s", slices.Index(s.clients, m.Conn)+1, show(m.Payload))
	}
}

// report says what changed in the cache, and which coverage points came about.
func (s *session) report() {
	var came []string
	for i, sit := range sim.CoveragePoints() {
		if n := s.w.Count(sit) - s.counts[i]; n > 0 {
			times := ""
			if n > 1 {
				times = fmt.Sprintf(" (%d times)", n)
			}
			came = append(came, strings.TrimPrefix(sit.String(), "cache: ")+times)
			s.counts[i] += n
		}
	}
	slices.Sort(came)
	for _, text := range came {
		s.tell("  %s", text)
	}
	state := fmt.Sprintf("cache at %d", s.cache.ResourceVersion())
	if objects := keysOf(s.cache.Ascend); len(objects) > 0 {
		state += ": " + strings.Join(objects, " ")
	}
	if !s.cache.Ready() {
		state += "; not ready"
	}
	if n := s.cache.Waiting(); n > 0 {
		state += fmt.Sprintf("; waiting: %d", n)
	}
	if rev := s.cache.CompactRevision(); rev > 0 {
		state += fmt.Sprintf("; compacted: %d", rev)
	}
	for _, d := range s.cache.Detections() {
		state += "; comparison " + [...]string{"pending", "equal", "different", "failed"}[d.Outcome]
	}
	if why := s.cache.Aborted(); why != "" {
		state += "; does not start: " + why
	}
	if state != s.state {
		s.tell("%s", state)
	}
	s.state = state
}

// Observe implements sim.Observer: it tells the notes.
func (s *session) Observe(w *sim.World, e *sim.Event) {
	if e.Kind == sim.Noted {
		s.tell("%s %s", w.NodeName(e.Node), e.Note.Text(w))
	}
}

func (s *session) say(conn sim.Conn, messages ...sim.Payload) {
	s.act(s.up, func(env *sim.Env) {
		for _, p := range messages {
			env.Send(conn, p)
		}
	})
}

// etcd does what etcd with its client library is told.
func (s *session) etcd(what string, args []string) {
	oldest := func() sim.Conn {
		_, conn := take[*wire.RangeRequest](s.bed, s.up)
		return conn
	}
	switch what {
	case "lists":
		s.say(oldest(), s.list(args))
	case "refuses":
		s.say(oldest(), &wire.Error{Code: s.code(args[0])})
	case "breaks":
		s.say(oldest(), &sim.Hangup{Broken: true})
	case "sends":
		for _, event := range strings.Split(strings.Join(args, " "), ", ") {
			s.say(s.feed, s.event(strings.Fields(event)))
		}
	case "closes":
		conn := s.feed
		if len(args) > 0 {
			conn = s.streams[s.number(args[0])-1]
		}
		s.act(s.up, func(env *sim.Env) { env.Close(conn) })
	case "version":
		_, conn := take[*wire.StatusRequest](s.bed, s.up)
		s.say(conn, version(strings.Join(args, " ")))
	case "always":
		s.always(args)
	default:
		require.Fail(s.t, "unknown command", "etcd %s", what)
	}
}

// list is an answer to a range: "5 a@4 b=2@5 more count=7".
func (s *session) list(args []string) *wire.RangeResponse {
	resp := &wire.RangeResponse{Revision: s.number(args[0])}
	for _, arg := range args[1:] {
		if n, ok := strings.CutPrefix(arg, "count="); ok {
			resp.Count = s.number(n)
		} else if arg == "more" {
			resp.More = true
		} else {
			kv := s.object(arg)
			s.objects[kv.Key] = kv
			resp.Kvs = append(resp.Kvs, kv)
		}
	}
	if resp.Count == 0 {
		resp.Count = int64(len(resp.Kvs))
	}
	return resp
}

// object is "a@4", or "a=2@4" with a value.
func (s *session) object(text string) *wire.KeyValue {
	text, rv, _ := strings.Cut(text, "@")
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		value = "1"
	}
	return kv(key, value, s.number(rv))
}

func (s *session) code(name string) wire.Code {
	for c := wire.ErrCompacted; c <= wire.Forbidden; c++ {
		if strings.ReplaceAll(c.String(), " ", "-") == name {
			return c
		}
	}
	require.Fail(s.t, "no such error", name)
	return 0
}

// event is "ADDED a@6", "MODIFIED a=2@7", "DELETED a@8", "BOOKMARK 9", with "end" or "echo", or "ERROR compacted".
func (s *session) event(f []string) *wire.WatchEvent {
	switch f[0] {
	case "BOOKMARK":
		e := &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: s.number(f[1])}
		if f = append(f, ""); f[2] == "echo" {
			e.ProgressID = s.asked
		}
		e.InitialEventsEnd = f[2] == "end"
		return e
	case "ERROR":
		return failed(s.code(f[1]))
	}
	item := s.object(f[1])
	prev := s.objects[item.Key]
	s.objects[item.Key] = item
	switch {
	case f[0] == "ADDED":
		return &wire.WatchEvent{Type: wire.Added, ResourceVersion: item.ModRevision, Item: item}
	case f[0] == "MODIFIED" && prev == nil:
		return &wire.WatchEvent{Type: wire.Modified, ResourceVersion: item.ModRevision, Item: item}
	case f[0] == "MODIFIED":
		e := modified(prev, item.Value, item.ModRevision)
		s.objects[item.Key] = e.Item
		return e
	case prev == nil || strings.Contains(f[1], "="):
		prev = item
	}
	delete(s.objects, item.Key)
	return deleted(prev, item.ModRevision)
}

func version(text string) sim.Payload {
	if text == "unknown" {
		return &wire.Error{Code: wire.Unavailable, Message: "down"}
	}
	return &wire.StatusResponse{Version: text}
}

// always has etcd answer at once from now on: "list=5 revision=8 version=unknown".
func (s *session) always(args []string) {
	answers := map[string]sim.Payload{}
	for _, arg := range args {
		what, value, _ := strings.Cut(arg, "=")
		if what == "version" {
			answers[what] = version(value)
		} else {
			answers[what] = s.list(strings.Split(value, ","))
		}
	}
	s.up.react = func(env *sim.Env, m *sim.Message) bool {
		what := ""
		switch p := m.Payload.(type) {
		case *wire.StatusRequest:
			what = "version"
		case *wire.RangeRequest:
			if what = "list"; p.RangeEnd == "" {
				what = "revision"
			}
		}
		if answers[what] != nil {
			env.Send(m.Conn, answers[what])
		}
		return answers[what] != nil
	}
	// What has been asked is answered, too.
	s.act(s.up, func(env *sim.Env) {
		s.up.inbox = slices.DeleteFunc(s.up.inbox, func(m sim.Message) bool { return s.up.react(env, &m) })
	})
}

func (s *session) client(conn sim.Conn, does string) {
	s.act(s.down, func(env *sim.Env) {
		switch does {
		case "leaves":
			env.Close(conn)
		case "stops":
			env.Hold(conn)
		case "reads":
			env.Release(conn)
		default:
			require.Fail(s.t, "unknown command", "client N %s", does)
		}
	})
}

// request sends what a client asks. It arrives, and is numbered.
func (s *session) request(verb string, args []string) {
	list := &wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset}
	watch := &wire.WatchRequest{Prefix: prefix}
	for _, arg := range args {
		name, value, given := strings.Cut(arg, "=")
		switch name {
		case "rv":
			list.ResourceVersion = s.number(value)
		case "not-older":
			list.Match = wire.MatchNotOlderThan
		case "exact":
			list.Match = wire.MatchExact
		case "most-recent":
			list.Match = wire.MatchMostRecent
		case "match":
			list.Match = wire.ResourceVersionMatch(s.number(value))
		case "limit":
			list.Limit = s.number(value)
		case "continue":
			list.Continue = s.token
			if rv, key, ok := strings.Cut(value, ","); ok {
				list.Continue = token(s.number(rv), key+"\x00")
			}
		case "token":
			list.Continue = value
			if rv, start, ok := strings.Cut(value, ","); ok {
				list.Continue = token(s.number(rv), start)
			}
		case "json":
			list.Continue = base64.RawURLEncoding.EncodeToString([]byte(value))
		case "from-etcd":
			list.FromEtcd = true
		case "field":
			field, of, _ := strings.Cut(value, ":")
			list.Selector = wire.Selector{Field: field, Value: of}
		case "prefix":
			list.Prefix = value
		case "initial":
			watch.SendInitialEvents = map[string]wire.SendInitialEvents{"false": 1, "true": 2, "7": 7}[value]
		case "bookmarks":
			watch.AllowBookmarks = true
		case "timeout":
			watch.TimeoutSeconds = s.number(value)
		default:
			require.False(s.t, given, arg)
			list.Prefix += name
		}
	}
	watch.Prefix, watch.ResourceVersion = list.Prefix, list.ResourceVersion
	watch.Match, watch.Selector = list.Match, list.Selector
	var p sim.Payload = list
	switch verb {
	case "GET":
		p = &wire.GetRequest{Key: list.Prefix, ResourceVersion: list.ResourceVersion}
	case "WATCHLIST":
		watch.Match, watch.SendInitialEvents, watch.AllowBookmarks = wire.MatchNotOlderThan, wire.SendInitialEventsTrue, true
		p = watch
	case "WATCH":
		p = watch
	case "READYZ":
		p = &wire.ReadyzRequest{}
	}
	s.act(s.down, func(env *sim.Env) {
		if p == watch {
			s.clients = append(s.clients, env.Open(cacheID))
			env.Send(s.clients[len(s.clients)-1], p)
		} else {
			s.clients = append(s.clients, env.Call(cacheID, p))
		}
	})
	if s.w.Mode() != sim.Timed {
		s.do("deliver down>cache")
	}
}

// row says what becomes of a request to the cache of each column, without the coverage points: "|" stands before what
// happens after it.
func (s *session) row(request string) {
	s.tell("%s", request)
	var names, outcomes []string
	for _, column := range s.columns {
		name, settings, _ := strings.Cut(column, ": ")
		c := &session{bed: &bed{t: s.t}}
		c.command("cache " + settings)
		for _, line := range s.before {
			c.command(line)
		}
		c.out.Reset()
		c.command(request)
		if n := len(c.up.inbox); n > 0 {
			if r, ok := c.up.inbox[n-1].Payload.(*wire.RangeRequest); ok && r.Key == prefix && r.RangeEnd == "" {
				c.command("etcd lists 8")
			}
		}
		for _, line := range s.after {
			c.out.WriteString("|\n")
			c.command(line)
		}
		var said []string
		for line := range strings.Lines(c.out.String()) {
			switch who, _, _ := strings.Cut(strings.TrimSpace(line), " "); {
			case !strings.HasPrefix(line, " ") && slices.Contains([]string{"|", "etcd", "client"}, who):
				said = append(said, strings.TrimSpace(line))
			}
		}
		outcome := strings.ReplaceAll(strings.TrimRight(strings.Join(said, "; "), "|; "), "|;", "|")
		if n := len(outcomes); n > 0 && outcomes[n-1] == outcome {
			names[n-1] += ", " + name
		} else {
			names, outcomes = append(names, name), append(outcomes, outcome)
		}
	}
	for i, name := range names {
		s.tell("  %s: %s", name, outcomes[i])
	}
}

// channel says how many events the channel of a watcher has room for: as many in result and in input, one in hand, and
// with one more the dispatcher waits.
func (s *session) channel(settings []string) {
	c, request := &session{bed: &bed{t: s.t}}, "WATCH rv=5"
	if i := len(settings) - 1; strings.HasPrefix(settings[i], "selects=") {
		request += " field=" + strings.TrimPrefix(settings[i], "selects=")
		settings = settings[:i]
	}
	c.begin(settings)
	for _, line := range []string{"listed 5", request, "client 1 stops"} {
		c.command(line)
	}
	events := 0
	for ; !c.can("dispatch budget"); events++ {
		c.command(fmt.Sprintf("etcd sends ADDED a@%d", 6+events))
	}
	s.tell("%s %s: %d", strings.Join(settings, " "), request, (events-2)/2)
}

// versions says who answers consistent LISTs before and after each endpoint of etcd has said its version: the cache,
// etcd, or the API server waits, or does not start.
func (s *session) versions(f []string) {
	versions, c := f[2:], &session{bed: &bed{t: s.t}}
	endpoints := max(1, len(versions))
	c.command(fmt.Sprintf("cache version-check=%s consistent-list-from-cache=%s endpoints=%d", f[0], f[1], endpoints))
	c.command("notes")
	serving, warns := []string{c.servedBy()}, ""
	for i, v := range versions {
		req, conn := take[*wire.StatusRequest](c.bed, c.up)
		require.Equal(s.t, i, req.Endpoint)
		c.say(conn, version(v))
		c.settle()
		if strings.Contains(c.out.String(), "cache warns: ") {
			warns = ", with a warning"
		}
		serving = append(serving, c.servedBy())
	}
	s.tell("%s: %s%s", strings.Join(f, " "), strings.Join(serving, ", "), warns)
}

func (s *session) servedBy() string {
	if s.cache.Aborted() != "" {
		return "does not start"
	}
	if count[*wire.RangeRequest](s.up) == 0 && !s.cache.Ready() {
		return "waits"
	}
	if !s.cache.Ready() {
		s.command("listed 5")
	}
	s.command("LIST")
	if req, _ := take[*wire.RangeRequest](s.bed, s.up); req.RangeEnd != "" {
		return "etcd"
	}
	return "cache"
}

func (s *session) metrics() {
	for _, m := range metric.All() {
		d := s.w.Metric(m)
		switch {
		case m.IsCounter() && d.Sum() > 0:
			s.tell("%s %d", m, d.Sum())
		case d.Count() > 0 && m.Unit() == metric.Nanoseconds:
			s.tell("%s: %d, from %v, together %v", m, d.Count(), time.Duration(d.Min()), time.Duration(d.Sum()))
		case d.Count() > 0:
			s.tell("%s: %d, from %d, together %d", m, d.Count(), d.Min(), d.Sum())
		}
	}
}

// show is a message as the files have it.
func show(p sim.Payload) string {
	switch p := p.(type) {
	case *sim.Hangup:
		if p.Broken {
			return "broken"
		}
		return "closed"
	case *wire.Error:
		return "ERROR" + showError(p)
	case *wire.WatchEvent:
		text := p.Type.String()
		switch {
		case p.Err != nil:
			return text + showError(p.Err)
		case p.Item == nil:
			text += " " + strconv.FormatInt(p.ResourceVersion, 10)
		case p.Type == wire.Deleted:
			text += fmt.Sprintf(" %s at %d", showValue(reflect.ValueOf(p.Item)), p.ResourceVersion)
		default:
			text += " " + showValue(reflect.ValueOf(p.Item))
		}
		if p.Prev != nil && p.Type == wire.Modified {
			text += ", was " + showValue(reflect.ValueOf(p.Prev))
		}
		if p.InitialEventsEnd {
			text += " end"
		}
		return text
	}
	v := reflect.ValueOf(p).Elem()
	text := v.Type().Name()
	for i := range v.NumField() {
		if f := v.Field(i); v.Type().Field(i).IsExported() && (!f.IsZero() || v.Type().Field(i).Name == "Origin") {
			text += " " + v.Type().Field(i).Name + "=" + showValue(f)
		}
	}
	return text
}

func keysOf(ascend func(func(*wire.KeyValue) bool)) (keys []string) {
	ascend(func(kv *wire.KeyValue) bool {
		keys = append(keys, strings.TrimPrefix(kv.Key, prefix)+"="+kv.Value)
		return true
	})
	return keys
}

func showError(e *wire.Error) string {
	text := " " + strconv.Itoa(e.Code.Status()) + " " + e.Code.String()
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.RetryAfter > 0 {
		text += fmt.Sprintf(" (Retry-After: %d)", e.RetryAfter)
	}
	return text
}

func showValue(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case *wire.KeyValue:
		return fmt.Sprintf("%s=%s@%d", strings.TrimPrefix(x.Key, prefix), x.Value, x.ModRevision)
	case []*wire.KeyValue:
		var all []string
		for _, kv := range x {
			all = append(all, showValue(reflect.ValueOf(kv)))
		}
		return "[" + strings.Join(all, " ") + "]"
	case wire.SendInitialEvents:
		return [...]string{"unset", "false", "true"}[x]
	case string:
		if text, err := base64.RawURLEncoding.DecodeString(x); err == nil && strings.HasPrefix(string(text), "{") {
			return strings.Replace(string(text), `"v":"meta.k8s.io/v1",`, "", 1)
		}
		return strings.ReplaceAll(strings.TrimPrefix(x, "/registry/"), "\x00", `\0`)
	}
	return fmt.Sprint(v.Interface())
}

var _ = read.Timeouts.Register("teapot", "an error of another module", func(env *sim.Env, r *read.Read) {
	r.Refuse(env, &wire.Error{Code: wire.Unavailable, Message: "short and stout"})
})

// A buffer that has room for one more event, as another module could write it.
var _ = dispatch.Buffers.Register("one-more", "one event more than the channel holds", dispatch.Buffering{
	MakeRoom: func(_ *sim.Env, w *dispatch.Watcher, _ *store.Event) bool {
		if w.Capacity() > 2 {
			return false
		}
		w.SetCapacity(3)
		return true
	},
})
