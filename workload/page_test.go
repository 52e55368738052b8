package workload_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// pager is a server that has three objects at revision 7 and answers one at a
// time. Its tokens are the number of the next.
type pager struct {
	asked []wire.ListRequest
	// gone is the number of the page that it refuses.
	gone int
}

func (p *pager) Start(*sim.Env) {}

func (p *pager) Receive(env *sim.Env, m *sim.Message) {
	req := m.Payload.(*wire.ListRequest)
	p.asked = append(p.asked, *req)
	n, _ := strconv.Atoi(req.Continue)
	if p.gone > 0 && n == p.gone {
		env.Send(m.Conn, &wire.Error{Code: wire.ErrCompacted})
		return
	}
	answer := &wire.ListResponse{ResourceVersion: 7, Items: []*wire.KeyValue{{Key: "/p/" + string(rune('a'+n)), ModRevision: 3}}}
	if n < 2 {
		answer.Continue = strconv.Itoa(n + 1)
	}
	env.Send(m.Conn, answer)
}

func (p *pager) Fire(*sim.Env, sim.Timer)   {}
func (p *pager) Run(*sim.Env, sim.Task)     {}
func (p *pager) TaskName(sim.Task) string   { return "" }
func (p *pager) TimerName(sim.Timer) string { return "" }

// firstThing takes whatever comes first.
type firstThing struct{}

func (firstThing) Pick(*sim.World, []sim.Action) int  { return 0 }
func (firstThing) Choose(*sim.World, int, string) int { return 0 }

func turnPages(t *testing.T, server *pager, pages int) []model.Operation {
	t.Helper()
	list := &wire.ListRequest{Prefix: "/p/", ResourceVersion: wire.Unset, Limit: 1}
	get := &wire.ListRequest{Prefix: "/p/"}
	var c workload.Client
	c.Reset("reader", 0, []workload.Step{
		{To: 1, Payload: list, Request: workload.Request(list), Pages: pages},
		{To: 1, Payload: get, Request: workload.Request(get)},
	}, 0)
	w := sim.NewWorld(sim.Options{})
	w.Add("server", server)
	w.Add("reader", &c)
	w.Start(firstThing{})
	for !c.Done() {
		require.True(t, w.Step(firstThing{}))
	}
	return c.Operations()
}

// A later page goes on behind the last key, to the same end, and is a read at the
// first one's resourceVersion; the token is passed on as it is. What the program
// has next comes after the last page.
func TestClientTurnsPages(t *testing.T) {
	server := &pager{}
	ops := turnPages(t, server, 5)
	require.Len(t, ops, 4)
	assert.Equal(t, model.Request{Kind: model.List, Key: "/p/", End: "/p0", Limit: 1}, *ops[0].Request)
	assert.Equal(t, model.Request{Kind: model.List, Key: "/p/a\x00", End: "/p0", Limit: 1, Freshness: model.Exact, Revision: 7}, *ops[1].Request)
	assert.Equal(t, model.Request{Kind: model.List, Key: "/p/b\x00", End: "/p0", Limit: 1, Freshness: model.Exact, Revision: 7}, *ops[2].Request)
	assert.Equal(t, model.Any, ops[3].Request.Freshness)
	assert.Equal(t, wire.ListRequest{Prefix: "/p/", ResourceVersion: wire.Unset, Limit: 1, Continue: "1"}, server.asked[1])
	assert.Equal(t, "2", server.asked[2].Continue)
	for i, more := range []bool{true, true, false} {
		assert.Equal(t, more, ops[i].Result.More)
	}
}

func TestClientTurnsAsManyPagesAsPlanned(t *testing.T) {
	assert.Len(t, turnPages(t, &pager{}, 1), 3)
	assert.Len(t, turnPages(t, &pager{}, 0), 2)
}

func TestClientGivesUpAListThatIsGone(t *testing.T) {
	ops := turnPages(t, &pager{gone: 1}, 5)
	require.Len(t, ops, 3)
	assert.Equal(t, model.Failed, ops[1].Outcome)
	assert.Equal(t, model.Compacted, ops[1].Result.Err)
	assert.Equal(t, model.Any, ops[2].Request.Freshness)
}

// TestClientRequestsPagesOfServersInTurn: the token of one server goes to the next one.
func TestClientRequestsPagesOfServersInTurn(t *testing.T) {
	servers := []*pager{{}, {}}
	list := &wire.ListRequest{Prefix: "/p/", ResourceVersion: wire.Unset, Limit: 1}
	var c workload.Client
	c.Reset("reader", 0, []workload.Step{
		{To: 1, Payload: list, Request: workload.Request(list), Pages: 5, Turns: []sim.NodeID{1, 2}},
	}, 0)
	w := sim.NewWorld(sim.Options{})
	w.Add("first", servers[0])
	w.Add("second", servers[1])
	w.Add("reader", &c)
	w.Start(firstThing{})
	for !c.Done() {
		require.True(t, w.Step(firstThing{}))
	}
	require.Len(t, servers[0].asked, 2)
	require.Len(t, servers[1].asked, 1)
	assert.Equal(t, []string{"", "1", "2"}, []string{servers[0].asked[0].Continue, servers[1].asked[0].Continue, servers[0].asked[1].Continue})
}

// A server that ignores the limit returns all that a selector selects, which may be as many objects as the limit
// allows: it says nothing of objects behind them.
func TestClientAllowsForAnIgnoredLimit(t *testing.T) {
	selected := &wire.ListRequest{Prefix: "/p/", Limit: 1, Selector: wire.Selector{Field: "status.writer", Value: "w1"}}
	for _, c := range []struct {
		from  int
		limit int64
	}{{from: 1, limit: 1}, {from: 2, limit: 0}} {
		list := *selected
		list.Continue = strconv.Itoa(c.from)
		var reader workload.Client
		reader.Reset("reader", 0, []workload.Step{{To: 1, Payload: &list, Request: workload.Request(&list)}}, 0)
		w := sim.NewWorld(sim.Options{})
		w.Add("server", &pager{})
		w.Add("reader", &reader)
		w.Start(firstThing{})
		for !reader.Done() {
			require.True(t, w.Step(firstThing{}))
		}
		require.Equal(t, c.limit, reader.Operations()[0].Request.Limit, "of a page with a token the limit counts")
	}
}
