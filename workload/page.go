package workload

import (
	"slices"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// turnPage plans the request for the next page, if there is one. The client passes
// the token on and does not look inside. In the history a later page is an exact
// read at the first page's resourceVersion: pagination promises that.
func (c *Client) turnPage(p sim.Payload) {
	if refused, ok := p.(*wire.Error); ok {
		c.askRest(refused)
		return
	}
	list, ok := p.(*wire.ListResponse)
	if !ok || list.Continue == "" || len(list.Items) == 0 {
		return
	}
	before := c.asked
	asked := before.Payload.(*wire.ListRequest)
	request := *before.Request
	request.Key = list.Items[len(list.Items)-1].Key + "\x00"
	request.Freshness, request.Revision = model.Exact, list.ResourceVersion
	next := &wire.ListRequest{Prefix: asked.Prefix, ResourceVersion: wire.Unset, Limit: asked.Limit, Continue: list.Continue, Selector: asked.Selector, KeysOnly: asked.KeysOnly}
	if beside := before.BesideToken; beside != nil {
		next.ResourceVersion, next.Match = beside.ResourceVersion, beside.Match
	}
	c.page = &Step{
		To:          before.nextTo(),
		Payload:     next,
		Request:     &request,
		Think:       before.Think,
		Pages:       before.Pages - 1,
		Turns:       before.Turns,
		BesideToken: before.BesideToken,
		TakesRest:   before.TakesRest,
	}
}

// askRest plans the request for the rest of a list whose page was compacted, if the client
// takes what it is offered. In the history it is a consistent read from where the page was
// to begin: the token stands for the newest state.
func (c *Client) askRest(refused *wire.Error) {
	before := c.asked
	if refused.Continue == "" || !before.TakesRest {
		return
	}
	asked := before.Payload.(*wire.ListRequest)
	request := *before.Request
	request.Freshness, request.Revision = model.Consistent, 0
	next := *before
	next.To, next.Request, next.Pages = before.nextTo(), &request, before.Pages-1
	next.Payload = &wire.ListRequest{Prefix: asked.Prefix, ResourceVersion: wire.Unset, Limit: asked.Limit, Continue: refused.Continue, Selector: asked.Selector, KeysOnly: asked.KeysOnly}
	c.page = &next
}

// nextTo is the node that is asked for the next page.
func (s *Step) nextTo() sim.NodeID {
	if len(s.Turns) == 0 {
		return s.To
	}
	return s.Turns[(slices.Index(s.Turns, s.To)+1)%len(s.Turns)]
}
