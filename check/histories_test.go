package check_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/history/format"
	"github.com/watchbed/watchbed/model"
)

// TestHistories reads and judges the histories of testdata. `go test ./check -run Histories -rewrite` writes what comes
// out.
//
//	let put                         a text to use below
//	{"client":"w","op":"put", ...}
//	----
//
//	check linearizable exact        properties; without one those that the history is asked for, but for vacuous ones
//	$put                            the text
//	$put: "return":2 => "return":9  the text, with something replaced once
//	----
//	exact: violated (1, by witness)
//	  ghost: why
func TestHistories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		texts := map[string]string{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			text := expanded(t, texts, d)
			if d.Cmd == "let" {
				texts[d.CmdArgs[0].Key] = text
				return ""
			}
			require.Equal(t, "check", d.Cmd, d.Pos)
			var properties []string
			for _, arg := range d.CmdArgs {
				properties = append(properties, arg.Key)
			}
			return judged(t, text, properties)
		})
	})
}

var (
	edit = regexp.MustCompile(`(?m)^\$(\w+): (.*?) =>(?: (.*))?$`)
	name = regexp.MustCompile(`\$\w+`)
)

// expanded is the input of a test with what the texts have that it names.
func expanded(t *testing.T, texts map[string]string, d *datadriven.TestData) string {
	input := edit.ReplaceAllStringFunc(d.Input, func(line string) string {
		m := edit.FindStringSubmatch(line)
		require.Contains(t, texts[m[1]], m[2], d.Pos)
		return strings.Replace(texts[m[1]], m[2], m[3], 1)
	})
	return name.ReplaceAllStringFunc(input, func(named string) string {
		text, known := texts[named[1:]]
		require.True(t, known, "%s: %s is not defined", d.Pos, named)
		return text
	})
}

// judged is what check says of a text.
func judged(t *testing.T, text string, properties []string) string {
	read, err := format.ReadStream(strings.NewReader(text), "")
	if err != nil {
		require.NotContains(t, err.Error(), "\n")
		return "error: " + err.Error() + "\n"
	}
	var out strings.Builder
	if read.Format != format.Watchbed {
		fmt.Fprintf(&out, "%s, %d operations\n", read.Format, len(read.History.Operations))
	}
	for _, note := range read.Notes {
		fmt.Fprintf(&out, "note: %s\n", note)
	}
	r, err := check.History(read.History, check.Options{Properties: properties, Defaults: read.Properties})
	require.NoError(t, err)
	var names []string
	for i := range r.Judgements {
		j := &r.Judgements[i]
		if j.Verdict == model.Vacuous && len(properties) == 0 {
			continue
		}
		names = append(names, j.Property)
		// Properties of which the same is said share it.
		if said := verdict(j); i == len(r.Judgements)-1 || verdict(&r.Judgements[i+1]) != said {
			fmt.Fprintf(&out, "%s: %s", strings.Join(names, ", "), said)
			names = nil
		}
	}
	if out.Len() == 0 {
		return "vacuous\n"
	}
	return out.String()
}

func verdict(j *check.Judgement) string {
	said := fmt.Sprintf("%s (%d, by %s)\n", j.Verdict, j.Exercised, j.By)
	switch {
	case j.Operations != nil:
		return said + fmt.Sprintf("  %s: %s\n", j.Operations.Anomaly, j.Operations.Sentence)
	case j.Watch != nil:
		return said + fmt.Sprintf("  %s\n", j.Watch.Sentence)
	case j.Reason != "":
		return said + fmt.Sprintf("  %s\n", j.Reason)
	}
	return said
}
