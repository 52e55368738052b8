package linearizability

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/watchbed/watchbed/model"
)

// MaxVisualized is the size up to which a history can be drawn: porcupine's
// pages grow with the square of it (anishathalye/porcupine#20: 1.5 GB for 3,000
// operations).
const MaxVisualized = 200

// Visualize writes porcupine's own page about a history: every client's
// operations in time, and the longest orders of them that are linearizable. prop
// is Linearizable or LinearizableData. The page of one history is not the same,
// byte for byte, every time.
func Visualize(w io.Writer, h *model.History, prop Property) error {
	var p Porcupine
	p.prepare(h, nil, prop)
	p.spec.steps, p.spec.budget, p.spec.kept, p.spec.keeps, p.spec.lazy = 0, DefaultSteps, 0, math.MaxInt, false
	p.spec.first = p.spec.initial
	end := int64(0)
	for i := range p.operations {
		end = max(end, p.operations[i].Call)
		if r := p.operations[i].Return; r != afterAll {
			end = max(end, r)
		}
	}
	for i := range p.operations {
		// The page is as wide as the last call or return: what was never answered
		// may have been asked after all answers.
		p.operations[i].Return = min(p.operations[i].Return, end+1)
	}
	m := p.spec.realTime()
	m.DescribeOperation = func(input, _ any) string { return input.(*call).String() }
	m.DescribeState = func(s any) string { return "revision " + strconv.FormatInt(s.(*state).revision, 10) }
	_, info := porcupine.CheckOperationsVerbose(m, p.operations, 0)
	return porcupine.Visualize(m, info, w)
}

// String says an operation and its answer on one line.
func (c *call) String() string {
	text := c.request.Kind.String() + " " + c.request.Key
	if c.request.Kind == model.Put {
		text += "=" + c.request.Value
	}
	if c.result == nil {
		return text + ": outcome unknown"
	}
	if c.result.Revision != 0 && c.result.Revision != math.MaxInt64 {
		text += " → rev " + strconv.FormatInt(c.result.Revision, 10)
	}
	if !c.request.IsWrite() {
		var items []string
		for _, it := range slices.Clone(c.result.Items) {
			items = append(items, it.Key+"="+it.Value)
		}
		text += " {" + strings.Join(items, " ") + "}"
	}
	return text
}
