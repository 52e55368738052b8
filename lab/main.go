// Lab measures the bed itself. It is started in the folder lab:
//
//	go run . strategies    how soon each strategy finds each known bug
//	go run . shrinking     how short the run of each known bug becomes
//	go run . sampled       how much of all schedules a sample of them sees
//	go run . checks        what consistency checks of a cache find, measured anew: minutes
//	go run . coursehash [-seeds N] [-whole] [SCENARIO ...]
//	                       the campaign hash of each scenario, design and release
package main

import (
	"fmt"
	"os"
)

// programs return the page that they print.
var programs = map[string]func(args []string) (string, error){
	"strategies": strategies, "shrinking": shrinking, "sampled": sampled, "checks": checks, "coursehash": coursehash,
}

func main() {
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "lab: name strategies, shrinking, sampled, checks or coursehash")
		os.Exit(2)
	}
	page, err := programs[os.Args[1]](os.Args[2:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		os.Exit(2)
	}
	fmt.Print(page)
}
