package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

func TestLoseMessage(t *testing.T) {
	build := func(sent ...text) (*sim.World, *probe, *script) {
		w := sim.NewWorld(sim.Options{})
		a, b := &probe{}, &probe{}
		a.start = func(env *sim.Env) {
			c := env.Open(2)
			for _, m := range sent {
				env.Send(c, m)
			}
		}
		w.Add("a", a)
		w.Add("b", b)
		w.AddFault(&sim.LoseMessage{From: []sim.NodeID{1}, To: 2, Label: "an x", Match: func(p sim.Payload) bool { return p == text("x") }},
			sim.Budget{Times: 1})
		s := &script{picks: []string{"inject lose an x"}}
		w.Start(s)
		return w, b, s
	}
	for name, tc := range map[string]struct {
		sent []text
		want []string
	}{
		"the first":         {[]text{"x", "one", "two"}, []string{"one", "two"}},
		"one in the middle": {[]text{"one", "x", "two", "x"}, []string{"one", "two", "x"}},
		"the only one":      {[]text{"x"}, nil},
		"none matches":      {[]text{"one"}, []string{"one"}},
	} {
		t.Run(name, func(t *testing.T) {
			w, b, s := build(tc.sent...)
			drain(w, s)
			require.Equal(t, tc.want, b.received)
		})
	}
}

// A refusal comes in the place of the answer, and on a stream behind what was sent.
func TestRefuse(t *testing.T) {
	refused := func(begin func(env *sim.Env)) (*probe, *probe) {
		w := sim.NewWorld(sim.Options{})
		client, server := &probe{}, &probe{}
		client.start = begin
		w.Add("client", client)
		w.Add("server", server)
		w.AddFault(&sim.Refuse{From: 1, To: 2, Label: "client", Kinds: 1, Refusal: func(_ int, call bool) sim.Payload {
			if call {
				return text("call refused")
			}
			return text("stream refused")
		}}, sim.Budget{Times: 1})
		s := &script{picks: []string{"inject refuse client"}}
		w.Start(s)
		drain(w, s)
		return client, server
	}
	client, _ := refused(func(env *sim.Env) { env.Call(2, text("question")) })
	require.Equal(t, []string{"call refused"}, client.received)

	client, server := refused(func(env *sim.Env) { env.Send(env.Open(2), text("question")) })
	require.Equal(t, []string{"stream refused"}, client.received)
	require.Equal(t, []string{"question"}, server.received, "the server hears of the request all the same")

	client, _ = refused(func(env *sim.Env) {})
	require.Empty(t, client.received, "nothing to refuse")
}
