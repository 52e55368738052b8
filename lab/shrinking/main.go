// Shrinking prints how short the run of each known bug becomes: what shrinking makes of what random schedules find, beside the
// shortest run that is known. It is started in the folder lab:
//
//	go run ./shrinking
//
// shrunk.json has the figures. The tests shrink again and compare, so that a change that makes shrinking worse is seen.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
)

//go:embed shrunk.json
var kept []byte

func main() {
	rows, err := read()
	text := ""
	if err == nil {
		text, err = table("..", rows)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shrinking: "+err.Error())
		os.Exit(2)
	}
	fmt.Print(text)
}

func read() (rows []row, err error) { return rows, json.Unmarshal(kept, &rows) }
