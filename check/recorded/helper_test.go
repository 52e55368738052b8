package recorded

import (
	"flag"
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/linearizability"
)

var histories = flag.Int("recorded.histories", 30_000, "random histories to hold judge and brute force equal on; some tests take a part of them")

var orderedProperties = []property{linearizability.Linearizable, linearizability.LinearizableData, linearizability.Sequential}

const (
	start = `{"format":"watchbed-history","version":1,"initial":{"revision":2,"items":[{"key":"a","value":"old","create":2,"mod":2,"version":1}]}}`
	oldA  = `{"key":"a","value":"old","create":2,"mod":2,"version":1}`
)

// list is a LIST of everything by client r.
func list(call int, rev int, items ...string) string {
	return fmt.Sprintf(`{"client":"r","op":"list","call":%d,"return":%d,"server":"cache-0","request":{"key":"a","end":"z"},"response":{"revision":%d,"items":[%s]}}`,
		call, call+1, rev, strings.Join(items, ","))
}
