package races_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/conformance/races"
	"github.com/watchbed/watchbed/sim"
)

// text is what the toy's messages say.
type text string

func (t text) Digest(d sim.Digest) sim.Digest { return d.Text(string(t)) }
func (t text) Label() string                  { return string(t) }

// counter is a server that counts. "add" is answered when a loop has carried it out,
// "get" at once. A stream is told the count when it begins, and each new one by another loop, which may
// leave out counts that are not the newest any more.
type counter struct {
	count, told int
	adding      []sim.Conn
	stream      sim.Conn
}

const (
	add sim.Task = iota
	tell
)

func (c *counter) Start(*sim.Env)             {}
func (c *counter) Fire(*sim.Env, sim.Timer)   {}
func (c *counter) TaskName(sim.Task) string   { return "" }
func (c *counter) TimerName(sim.Timer) string { return "" }

func (c *counter) Receive(env *sim.Env, m *sim.Message) {
	switch m.Payload.(text) {
	case "add":
		c.adding = append(c.adding, m.Conn)
		env.Enable(add)
	case "get":
		env.Send(m.Conn, text(fmt.Sprint(c.count)))
	case "watch":
		c.stream, c.told = m.Conn, c.count
		env.Send(m.Conn, text(fmt.Sprint(c.count)))
	}
}

func (c *counter) Run(env *sim.Env, t sim.Task) {
	switch t {
	case add:
		c.count++
		env.Send(c.adding[0], text("ok"))
		if c.adding = c.adding[1:]; len(c.adding) > 0 {
			env.Enable(add)
		}
		if c.stream != sim.NoConn {
			env.Enable(tell)
		}
	case tell:
		if c.told++; c.told < c.count {
			c.told += env.Choose(2, "leave one out")
			if c.told < c.count {
				env.Enable(tell)
			}
		}
		env.Send(c.stream, text(fmt.Sprint(c.told)))
	}
}

func (c *counter) Clone() sim.Node {
	d := *c
	d.adding = append([]sim.Conn(nil), c.adding...)
	return &d
}

func (c *counter) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(int64(c.count)).Int(int64(c.told)).Int(int64(len(c.adding))).Bool(c.stream != sim.NoConn)
}

// unclonable is a server that cannot be branched.
type unclonable struct{ races.Idle }

func (unclonable) Clone() {}

const watcher, writer, reader = 0, 1, 2

func sent(client int, what text) races.Moment {
	return races.Moment{Client: client, Sent: true, Payload: what}
}

func got(client int, what text) races.Moment { return races.Moment{Client: client, Payload: what} }

func search(t *testing.T, server sim.Node, states int, rest bool, moments ...races.Moment) (races.Result, error) {
	return searchWith(t, server, states, &races.Recording{Moments: moments, AtRest: rest})
}

// searchWith adds the clients to a recording.
func searchWith(t *testing.T, server sim.Node, states int, r *races.Recording) (races.Result, error) {
	w := sim.NewWorld(sim.Options{})
	node := w.Add("server", server)
	for i := range 3 {
		r.Clients = append(r.Clients, races.Client{
			Node: w.Add(fmt.Sprint("client", i), races.Idle{}), Server: node, Stream: i == watcher,
		})
	}
	w.Start(nil)
	return races.Search(w, r, states)
}

func TestSearch(t *testing.T) {
	const enough = 10_000
	for _, test := range []struct {
		name    string
		rest    bool
		moments []races.Moment
		want    races.Verdict
	}{
		{"one after the other", false, []races.Moment{sent(writer, "add"), got(writer, "ok"), sent(reader, "get"), got(reader, "1")}, races.Reached},
		{"nothing was written", false, []races.Moment{sent(reader, "get"), got(reader, "1")}, races.Unreachable},
		{"a read that began after the write was over", false, []races.Moment{sent(writer, "add"), got(writer, "ok"), sent(reader, "get"), got(reader, "0")}, races.Unreachable},
		{"a read that began before the write was over", false, []races.Moment{sent(writer, "add"), sent(reader, "get"), got(writer, "ok"), got(reader, "0")}, races.Reached},
		{"a read that sees a write in flight", false, []races.Moment{sent(writer, "add"), sent(reader, "get"), got(reader, "1"), got(writer, "ok")}, races.Reached},
		{"a read that was over before the write began", false, []races.Moment{sent(reader, "get"), got(reader, "1"), sent(writer, "add"), got(writer, "ok")}, races.Unreachable},
		{"back in time", false, []races.Moment{
			sent(writer, "add"), sent(reader, "get"), got(reader, "1"), sent(reader, "get"), got(reader, "0"), got(writer, "ok"),
		}, races.Unreachable},
		{"told each", true, []races.Moment{
			sent(watcher, "watch"), got(watcher, "0"), sent(writer, "add"), sent(writer, "add"), got(writer, "ok"), got(writer, "ok"), got(watcher, "1"), got(watcher, "2"),
		}, races.Reached},
		{"told the newest only, which is a choice inside a step", true, []races.Moment{
			sent(watcher, "watch"), got(watcher, "0"), sent(writer, "add"), sent(writer, "add"), got(writer, "ok"), got(writer, "ok"), got(watcher, "2"),
		}, races.Reached},
		{"told of what is not the newest", true, []races.Moment{
			sent(watcher, "watch"), got(watcher, "0"), sent(writer, "add"), got(writer, "ok"), got(watcher, "2"),
		}, races.Unreachable},
		{"not told", false, []races.Moment{sent(watcher, "watch"), got(watcher, "0"), sent(writer, "add"), got(writer, "ok")}, races.Reached},
		{"not told, and watching before", true, []races.Moment{
			sent(watcher, "watch"), got(watcher, "0"), sent(writer, "add"), got(writer, "ok"), got(watcher, "1"), sent(writer, "add"), got(writer, "ok"),
		}, races.Unreachable},
	} {
		t.Run(test.name, func(t *testing.T) {
			result, err := search(t, &counter{}, enough, test.rest, test.moments...)
			require.NoError(t, err)
			require.Equal(t, test.want, result.Verdict)
		})
	}
}

func TestSearchSaysWhereItEnds(t *testing.T) {
	result, err := search(t, &counter{}, 1000, false, sent(writer, "add"), got(writer, "ok"), sent(reader, "get"), got(reader, "2"))
	require.NoError(t, err)
	require.Equal(t, 3, result.At)
	require.Equal(t, &races.Contradiction{At: 3, Client: reader, Sent: text("1"), Recorded: text("2")}, result.Furthest)
}

func TestSearchOfTooFewStatesIsUnknown(t *testing.T) {
	var moments []races.Moment
	for range 6 {
		moments = append(moments, sent(writer, "add"), sent(reader, "get"))
	}
	moments = append(moments, got(reader, "7"))
	result, err := search(t, &counter{}, 1_000_000, false, moments...)
	require.NoError(t, err)
	require.Equal(t, races.Unreachable, result.Verdict)

	few, err := search(t, &counter{}, result.States/2, false, moments...)
	require.NoError(t, err)
	require.Equal(t, races.Unknown, few.Verdict)
	require.LessOrEqual(t, few.States, result.States/2)
}

func TestSearchOfWhatCannotBeCloned(t *testing.T) {
	_, err := search(t, unclonable{}, 1000, false, sent(writer, "add"))
	require.ErrorContains(t, err, "server cannot be cloned")
}

// What is prompt is not a choice, and what is hopeless is not gone on with.
func TestSearchTakesAdvice(t *testing.T) {
	concurrent := []races.Moment{sent(writer, "add"), sent(writer, "add"), sent(reader, "get"), got(reader, "2"), sent(reader, "get"), got(reader, "1")}
	plain, err := search(t, &counter{}, 1000, false, concurrent...)
	require.NoError(t, err)
	require.Equal(t, races.Unreachable, plain.Verdict)

	// When a request to add has come makes no difference before the loop runs.
	prompt := func(w *sim.World, a sim.Action) bool {
		return a.Kind == sim.Deliver && w.Pending(a).Payload == text("add")
	}
	advised, err := searchWith(t, &counter{}, 1000, &races.Recording{Moments: concurrent, Prompt: prompt})
	require.NoError(t, err)
	require.Equal(t, races.Unreachable, advised.Verdict)
	require.Less(t, advised.States, plain.States)

	// A counter at two will never answer 1.
	asked := 0
	hopeless := func(w *sim.World, given []int) bool {
		asked++
		return given[reader] == 0 && w.Node(1).(*counter).count == 2
	}
	concurrent[3], concurrent[5] = got(reader, "1"), got(reader, "2")
	advised, err = searchWith(t, &counter{}, 1000, &races.Recording{Moments: concurrent, Hopeless: hopeless})
	require.NoError(t, err)
	require.Equal(t, races.Reached, advised.Verdict)
	require.Positive(t, asked)

	never := func(*sim.World, []int) bool { return true }
	advised, err = searchWith(t, &counter{}, 1000, &races.Recording{Moments: concurrent, Hopeless: never})
	require.NoError(t, err)
	require.Equal(t, races.Unreachable, advised.Verdict)
	require.Zero(t, advised.States)
}
