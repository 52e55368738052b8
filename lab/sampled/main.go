// Sampled prints how much of all schedules a sample sees: the states, histories and classes of schedules of small worlds that random
// schedules of each strategy come to, against all of them, which a search has counted.
//
//	go run ./sampled
//
// sampled.json and sizes.json have the figures. The tests count again and compare.
package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

var (
	//go:embed sampled.json
	sampledJSON []byte
	//go:embed sizes.json
	sizesJSON []byte
)

func main() {
	var worlds map[string]figures
	var sizes map[string]sized
	if err := errors.Join(json.Unmarshal(sampledJSON, &worlds), json.Unmarshal(sizesJSON, &sizes)); err != nil {
		fmt.Fprintln(os.Stderr, "sampled: "+err.Error())
		os.Exit(2)
	}
	fmt.Print(table(worlds), tableOfSizes(sizes))
}
