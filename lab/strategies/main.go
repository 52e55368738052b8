// Strategies prints how soon each strategy finds each known bug, and what each strategy is worth to the portfolio:
//
//	go run ./strategies
//
// strategies.json has the figures. The tests run campaigns again and compare, so that a change that makes the search worse is seen.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"

	// All known bugs.
	_ "github.com/watchbed/watchbed/knownbugs"
)

//go:embed strategies.json
var figures []byte

func main() {
	rows, err := read()
	if err != nil {
		fmt.Fprintln(os.Stderr, "strategies: "+err.Error())
		os.Exit(2)
	}
	fmt.Print(table(rows))
}

func read() (rows []row, err error) { return rows, json.Unmarshal(figures, &rows) }
