package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/report"
)

type checkFlags struct {
	properties []string
	json       bool
	html       string
	budget     int
}

func checkCommand(s process) *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check HISTORY...",
		Short: "judge recorded histories",
		Long: `Check judges histories of etcd or Kubernetes clients, JSON Lines with one operation a line ("-" is standard input). Without
--property it judges linearizable, linearizable-data and sequential, of which what no operation exercised does not count.
What became of writes of unknown outcome is found out from later answers, where these tell. Where revisions are left
out (registers, for example), porcupine judges, within the budget. The format, with an example, is in the package
documentation: go doc github.com/watchbed/watchbed/history`,
		Example: s.named("  PROGRAM check history.jsonl\n  PROGRAM check --property sequential --json a.jsonl b.jsonl"),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("budget") && f.budget < 1 {
				return usage("--budget %d: want 1 step at least", f.budget)
			}
			if len(args) == 0 {
				return usage("which history? (files of JSON Lines, or - for standard input)")
			}
			if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
				return usage("standard input (-) can be read once only")
			}
			return f.run(s, args)
		},
	}
	c.Flags().StringArrayVar(&f.properties, "property", nil, "judge this property; may be repeated")
	c.Flags().BoolVar(&f.json, "json", false, "print a JSON array, one object a history")
	c.Flags().IntVar(&f.budget, "budget", 0, "steps that porcupine may take for one property (or for one key, where keys can be judged apart); "+
		fmt.Sprintf("without it %d, or fewer if these would need more than 256 MB", linearizability.DefaultSteps))
	c.Flags().StringVar(&f.html, "html", "", "write a page about the first history that is violated, or else the first")
	return c
}

// checked is what became of one history.
type checked struct {
	Name       string            `json:"history"`
	Operations int               `json:"operations"`
	Verdict    string            `json:"verdict"`
	Properties map[string]judged `json:"properties"`

	history    *model.History
	judgements []linearizability.Judgement
	verdict    model.Verdict
}

// judged is one property of one history.
type judged struct {
	Verdict   string                       `json:"verdict"`
	Exercised int                          `json:"exercised"`
	Reason    string                       `json:"reason,omitempty"`
	By        string                       `json:"by"`
	Why       *linearizability.Explanation `json:"why,omitempty"`
}

func (f *checkFlags) run(s process, names []string) error {
	properties, err := f.wanted()
	if err != nil {
		return err
	}
	all := []checked{}
	overall := model.Vacuous
	var unread error
	for _, name := range names {
		c, err := f.check(s, name, properties)
		if err != nil {
			// The other histories are judged all the same.
			unread = errors.Join(unread, err)
			continue
		}
		if len(all) == 0 {
			overall = c.verdict
		}
		all = append(all, *c)
		overall = worse(overall, c.verdict)
		if !f.json {
			f.text(s, c)
		}
	}
	if f.json {
		e := json.NewEncoder(s.out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		err = e.Encode(all)
	}
	if f.html != "" && len(all) > 0 {
		shown := max(0, slices.IndexFunc(all, func(c checked) bool { return c.verdict == model.Violated }))
		c := &all[shown]
		err = errors.Join(err, writeFile(f.html, func(w *os.File) error {
			return report.WriteHistoryHTML(w, c.Name, c.history, c.judgements)
		}))
	}
	return errors.Join(unread, err, exit(overall))
}

// worse joins verdicts of different histories: a violation decides, then what is
// not known.
func worse(a, b model.Verdict) model.Verdict {
	for _, v := range []model.Verdict{model.Violated, model.Undecided, model.Vacuous} {
		if a == v || b == v {
			return v
		}
	}
	return model.Holds
}

// overall is the verdict on one history. Without --property, what nothing exercised counts
// only if nothing else was exercised either: nobody asked for it by name.
func (f *checkFlags) overall(judgements []linearizability.Judgement) model.Verdict {
	verdict := judgements[0].Verdict
	for i := range judgements {
		v := judgements[i].Verdict
		switch {
		case len(f.properties) > 0:
			verdict = worse(verdict, v)
		default:
			verdict = verdict.And(v)
		}
	}
	return verdict
}

func (f *checkFlags) wanted() ([]linearizability.Property, error) {
	if len(f.properties) == 0 {
		return []linearizability.Property{linearizability.Linearizable, linearizability.LinearizableData, linearizability.Sequential}, nil
	}
	var list []linearizability.Property
	for _, name := range f.properties {
		p := linearizability.Property(name)
		if !slices.Contains(linearizability.Properties(), p) {
			var known []string
			for _, k := range linearizability.Properties() {
				known = append(known, string(k))
			}
			return nil, usage("--property: unknown property %q; there are %s", name, strings.Join(known, ", "))
		}
		if slices.Contains(list, p) {
			return nil, usage("--property %s is there twice", name)
		}
		list = append(list, p)
	}
	return list, nil
}

func (f *checkFlags) check(s process, name string, properties []linearizability.Property) (*checked, error) {
	h, err := read(s, name)
	if err != nil {
		return nil, err
	}
	// A judge of its own: what it returns is valid until its next history.
	judge := &linearizability.Judge{Steps: f.budget}
	judgements, err := judge.CheckRecorded(h, properties...)
	if err != nil {
		return nil, &exitError{exitNoVerdict, fmt.Errorf("%s: %w", name, err)}
	}
	c := &checked{Name: name, Operations: len(h.Operations), Properties: map[string]judged{}, history: h, judgements: judgements}
	for i := range judgements {
		j := &judgements[i]
		c.Properties[string(j.Property)] = judged{j.Verdict.String(), j.Exercised, judge.Reason(j), j.By.String(), j.Why}
	}
	c.verdict = f.overall(judgements)
	c.Verdict = c.verdict.String()
	return c, nil
}

func read(s process, name string) (*model.History, error) {
	var r io.Reader = s.in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, usage("%w", err)
		}
		defer file.Close()
		r = file
	}
	h, err := history.Read(r)
	if err != nil {
		return nil, usage("%s: %w", name, err)
	}
	return h, nil
}

func (f *checkFlags) text(s process, c *checked) {
	o := s.terminal()
	fmt.Fprintf(s.out, "%s: %s of %s\n", c.Name, report.Counted(uint64(c.Operations), "operation"), report.Counted(uint64(len(c.history.Clients)), "client"))
	for i := range c.judgements {
		j := &c.judgements[i]
		verdict := j.Verdict.String()
		switch j.Verdict {
		case model.Violated:
			verdict = o.Bad(verdict)
		case model.Holds:
			verdict = o.Good(verdict)
		}
		fmt.Fprintf(s.out, "  %-18s %s%s, judged by %s\n", j.Property, verdict, howOften(j), j.By)
		if j.Why != nil {
			fmt.Fprintf(s.out, "    %s\n", j.Why.Sentence)
		}
		if reason := c.Properties[string(j.Property)].Reason; reason != "" {
			fmt.Fprintf(s.out, "    %s: %s\n", j.Verdict, reason)
		}
	}
}

// howOften says how often a property was checked. What is wrong before that needs no
// check.
func howOften(j *linearizability.Judgement) string {
	if j.Verdict == model.Violated && j.Exercised == 0 {
		return ""
	}
	return ", checked " + report.Counted(uint64(j.Exercised), "time")
}
