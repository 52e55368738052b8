//go:build !js

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/watchbed/watchbed/command/explain"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/report"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/site/debugger"
)

// maxAnswer is the size of the greatest answer, in bytes: what an agent reads in one go.
const maxAnswer = 48 << 10

// protocol is the debugger as tools of the Model Context Protocol, for editors and agents: one tool for each operation,
// and one that explains a name. A run is answered by its story; steps and state have the rest.
func protocol() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "watchbed", Title: "etcd and a watch cache, step by step", Version: "1"}, nil)
	d, turn := &debugger.Debugger{Brief: true}, &sync.Mutex{}
	for _, o := range debugger.Operations() {
		add(s, o.Name, o.Doc, func(q debugger.Question) (string, error) {
			question, err := json.Marshal(q)
			if err != nil {
				return "", err
			}
			turn.Lock()
			defer turn.Unlock()
			answer, err := d.Call(o.Name, question)
			return string(answer), err
		})
	}
	type name struct {
		Name string `json:"name" jsonschema:"a scenario, option, value, release, design, bug or property"`
	}
	add(s, "explain", "what simrun list NAME says of a name", func(n name) (string, error) {
		all, err := explain.Name("simrun", n.Name)
		if err == nil && len(all) == 0 {
			err = explain.Unknown("simrun", n.Name)
		}
		if err != nil {
			return "", err
		}
		var b strings.Builder
		err = explain.WriteText(&b, report.Terminal{}, all)
		return b.String(), err
	})
	return s
}

func add[Q any](s *mcp.Server, name, doc string, answer func(Q) (string, error)) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: doc}, func(_ context.Context, _ *mcp.CallToolRequest, q Q) (*mcp.CallToolResult, any, error) {
		text, err := answer(q)
		if err != nil {
			return nil, nil, err
		}
		if len(text) > maxAnswer {
			text = fmt.Sprintf("%s\n... %d of %d bytes: ask for less", text[:maxAnswer], maxAnswer, len(text))
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
}
