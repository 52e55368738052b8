// Hunt runs the scenarios of the catalogue over the code that ships, with seeds that were not run before, for as long as it is told to, and
// keeps what it found:
//
//	go run ./hunt -for 1h                      all scenarios in turn, each over all guests
//	go run ./hunt -for 10m NAME ...            these alone
//	go run ./hunt -page                        prints the table, and runs nothing
//
// The table is hunt.json in the folder of this program. It is written after each turn of a scenario, so that an interrupt
// loses one turn. The reason of a violation is what is known of the scenario with the simulated design of the guest's release: the test
// says where there is none. A false alarm is mended, and its seeds run again.
//
// It must never import anything that a guest is made of.
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/watchbed/watchbed/upstream/table"

	// All scenarios, properties and designs.
	_ "github.com/watchbed/watchbed/command"
	_ "github.com/watchbed/watchbed/upstream/designs"
)

// shipped are the guests that are hunted unless others are named.
var shipped = []string{
	"kubernetes@v0.37.2", "kubernetes@v0.37.2:locks", "kubernetes@v0.37.2:late", "kubernetes@v0.37.2:locks:late",
	"kubernetes@v0.38.0-alpha.2", "kubernetes@v0.38.0-alpha.2:locks", "kubernetes@v0.38.0-alpha.2:late", "kubernetes@v0.38.0-alpha.2:locks:late",
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	limit := flag.Duration("for", 10*time.Minute, "how long to go on")
	guests := flag.String("guests", strings.Join(shipped, ","), "the guests, with commas between them")
	page := flag.Bool("page", false, "print the table as a page, and run nothing")
	flag.Parse()
	if *page {
		table.Page("hunt", filepath.Join(folder, data), render)
		return
	}
	wrong, err := hunt(ctx, strings.Split(*guests, ","), flag.Args(), *limit)
	table.End("hunt", wrong, err)
}
