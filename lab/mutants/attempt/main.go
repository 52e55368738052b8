// Attempt runs campaigns with one mutant, or measures them without any. It is built
// and started by lab/mutants, with the mutants in it. It reads a killer.Task as JSON
// and writes a killer.Outcome; with the argument "baseline" it writes a
// killer.Baseline for each campaign that can be used and whose name contains one of the
// parts that the argument behind it has, between commas.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/internal/mutants"
	"github.com/watchbed/watchbed/lab/mutants/killer"
)

// margin is the processor time that one campaign may take beyond the budget before
// it counts as endless.
const margin = 10 * time.Second

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "attempt:", err)
		os.Exit(1)
	}
}

func run() error {
	out := json.NewEncoder(os.Stdout)
	if len(os.Args) > 2 && os.Args[1] == "baseline" {
		return baseline(out, os.Args[2])
	}
	var t killer.Task
	if err := json.NewDecoder(os.Stdin).Decode(&t); err != nil {
		return err
	}
	if err := mutants.Process(t.Budget + margin); err != nil {
		return err
	}
	return out.Encode(killer.Attempt(&t, func() bool { return mutants.Touched }))
}

func baseline(out *json.Encoder, parts string) error {
	// What ran before main makes a difference in every campaign.
	before := mutants.Entered()
	for _, c := range killer.Campaigns() {
		if !slices.ContainsFunc(strings.Split(parts, ","), func(part string) bool { return strings.Contains(c.Name, part) }) {
			continue
		}
		b, err := killer.Measure(c, func() []int { return append(mutants.Entered(), before...) })
		if err != nil {
			fmt.Fprintln(os.Stderr, "attempt: not used:", err)
			continue
		}
		if err := out.Encode(b); err != nil {
			return err
		}
	}
	return nil
}
