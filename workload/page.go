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
	list, ok := p.(*wire.ListResponse)
	if !ok || list.Continue == "" || len(list.Items) == 0 {
		return
	}
	before := c.asked
	asked := before.Payload.(*wire.ListRequest)
	request := *before.Request
	request.Key = list.Items[len(list.Items)-1].Key + "\x00"
	request.Freshness, request.Revision = model.Exact, list.ResourceVersion
	next := &wire.ListRequest{Prefix: asked.Prefix, ResourceVersion: wire.Unset, Limit: asked.Limit, Continue: list.Continue, Selector: asked.Selector}
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
	}
}

// nextTo is the node that is asked for the next page.
func (s *Step) nextTo() sim.NodeID {
	if len(s.Turns) == 0 {
		return s.To
	}
	return s.Turns[(slices.Index(s.Turns, s.To)+1)%len(s.Turns)]
}
