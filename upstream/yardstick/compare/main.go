// Compare runs upstream's tests of a storage against upstream's cacher and against the cache of this project, in the same
// harness and each on an etcd of its own, and writes what came of it to README.md of the folder yardstick:
//
//	go run ./compare
//
// A result that differs needs a reason (differences.go), and a reason needs a difference: otherwise the command fails.
package main

import (
	"fmt"
	"os"
)

func main() {
	var all [2]results
	for i, of := range []string{"cacher", "watchbed"} {
		var err error
		if all[i], err = run(of); err != nil {
			fmt.Fprintln(os.Stderr, "compare: "+err.Error())
			os.Exit(2)
		}
		fmt.Println(of + ": " + all[i].String())
	}
	text, wrong := report(all[0], all[1])
	if err := os.WriteFile("README.md", []byte(text), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "compare: "+err.Error())
		os.Exit(2)
	}
	for _, line := range wrong {
		fmt.Fprintln(os.Stderr, "compare: "+line)
	}
	if len(wrong) > 0 {
		os.Exit(1)
	}
}
