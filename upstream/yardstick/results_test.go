package yardstick

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// results are what each test came to: pass, fail or skip.
type results map[string]string

func (r results) String() string {
	n := map[string]int{}
	for _, action := range r {
		n[action]++
	}
	return fmt.Sprintf("%d of %d pass, %d are skipped", n["pass"], len(r)-n["skip"], n["skip"])
}

// run runs the tests of one cache.
func run(of string) (results, error) {
	c := exec.Command("go", "tool", "test2json", os.Args[0], "-test.v=test2json", "-test.skip=^TestPage$", "-of", of)
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	all := results{}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e struct{ Action, Test string }
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Test != "" {
			switch e.Action {
			case "pass", "fail", "skip":
				all[e.Test] = e.Action
			case "run":
				// One that says no more has ended with the process.
				all[e.Test] = "fail"
			}
		}
	}
	// That tests fail is a result.
	var exit *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no test of %s ran", of)
	}
	return all, lines.Err()
}
