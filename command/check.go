package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/history/format"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/report"
)

type checkFlags struct {
	properties []string
	json       bool
	html       string
	budget     int
	partial    bool
	format     string
}

func checkCommand(s process) *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check HISTORY...",
		Short: "judge recorded histories",
		Long: `Check judges histories of etcd or Kubernetes clients. Without --property it judges linearizable, linearizable-data
and sequential, exact and not-older-than if the history has reads at a revision, and what etcd guarantees of watches if it
has watches; of these, what nothing exercised does not count. Others are asked for by name, as a right store may violate
them: monotonic, read-your-writes, and pages (the pages of one list are one state). What became of writes of unknown outcome is found out from later answers, where these tell. Where revisions are left
out (registers, for example), porcupine judges, within the budget.

A history is a file, a folder, or "-" for standard input, in one of these formats:
  watchbed    JSON Lines, one operation a line (go doc github.com/watchbed/watchbed/history):
              {"client":"w","op":"put","call":1,"return":2,"request":{"key":"a"},"response":{"revision":2}}
              an error had no effect, "unknown" may have happened, may happen later, or never
  robustness  a report of etcd's robustness tests: the folder with client-1/operations.json and client-1/watch.json:
              {"ClientId":1,"Input":{"Type":"range","Range":{"Start":"a"}},"Call":1,"Output":{"Range":{},"Revision":1},"Return":2}
              a write with an error may have happened, a read with an error says nothing
  jepsen      history.edn of Jepsen's tests of etcd (register, set, append, wr, watch), maps or a vector of them, or an older log:
              {:type :invoke, :process 0, :f :write, :value [7 [nil 3]]}
              INFO  jepsen.util - 0	:invoke	:write	3
              :ok happened; :fail did not, for whatever reason, and with :error :did-not-succeed the comparison of a cas
              is judged; :info may have happened, may happen later, or never, and so may what has no end
  audit       a Kubernetes audit log, as it is, as grep or CloudWatch give it, or a webhook's EventLists; level RequestResponse
              has what can be judged:
              {"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","stage":"ResponseComplete",...}
              200 and 201 happened, and 404 found nothing; what has another code counts as not recorded
  watch       what etcdctl watch -w json, the gRPC gateway or kubectl get -w --output-watch-events -o json print, a watch
              a file. It is judged by itself: ordered, unique, atomic (etcd), bookmarkable, prevKV if it has
              previous values, and reliable if a version or a revision contradicts another.
              {"Header":{"revision":6},"Events":[{"kv":{"key":"YQ==","mod_revision":6}}],"CompactRevision":0,...}`,
		Example: s.named("  PROGRAM check history.jsonl\n  PROGRAM check --property sequential --json a.jsonl b.jsonl\n" +
			"  PROGRAM check results/TestRobustnessRegression_Issue15220\n" +
			"  PROGRAM check store/etcd/latest/history.edn\n  PROGRAM check --format audit audit.log"),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("budget") && f.budget < 1 {
				return usage("--budget %d: want 1 step at least", f.budget)
			}
			if len(args) == 0 {
				return usage("which history? (files or folders, or - for standard input)")
			}
			if slices.Contains(args, "") {
				return usage("which history? a name is empty")
			}
			if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
				return usage("standard input (-) can be read once only")
			}
			return f.interruptible(c.Context(), s, args)
		},
	}
	c.Flags().StringArrayVar(&f.properties, "property", nil, "judge this property and no other; may be repeated")
	c.Flags().BoolVar(&f.json, "json", false, "print a JSON array, one object a history")
	c.Flags().IntVar(&f.budget, "budget", 0, "steps that porcupine may take for one property (or for one key, where keys can be judged apart); "+
		fmt.Sprintf("without it %d, and more for a long history, or fewer if these would need more than 256 MB", linearizability.DefaultSteps))
	c.Flags().BoolVar(&f.partial, "partial", false, `some writers are not recorded, as "partial":true in the header of a history says`)
	c.Flags().StringVar(&f.format, "format", "", "read the histories as "+strings.Join(format.Names(), ", ")+"; without it the format is told from the input")
	c.Flags().StringVar(&f.html, "html", "", "write a page about the first history that is violated, or else the first (-: standard output)")
	return c
}

// checked is what became of one history.
type checked struct {
	Name       string            `json:"history"`
	Format     format.Format     `json:"format"`
	Notes      []string          `json:"notes,omitempty"`
	Operations int               `json:"operations"`
	Watches    int               `json:"watches,omitempty"`
	Partial    bool              `json:"partial,omitempty"`
	Verdict    string            `json:"verdict"`
	Properties map[string]judged `json:"properties"`

	history *model.History
	result  *check.Result
}

// judged is one property of one history.
type judged struct {
	Verdict   string                       `json:"verdict"`
	Exercised int                          `json:"exercised"`
	Reason    string                       `json:"reason,omitempty"`
	By        string                       `json:"by"`
	Why       *linearizability.Explanation `json:"why,omitempty"`
	Watch     *check.WatchViolation        `json:"watch,omitempty"`
}

// interruptible ends with an interrupt, also while standard input is waited for. Of a history
// that is judged in part nothing can be said, so that there is nothing to wait for.
func (f *checkFlags) interruptible(ctx context.Context, s process, names []string) error {
	judged := make(chan error, 1)
	go func() { judged <- f.run(s, names) }()
	select {
	case err := <-judged:
		return err
	case <-ctx.Done():
		newProgress(s, 0, 0).clear()
		return &exitError{exitNoVerdict, errors.New("interrupted before all was judged")}
	}
}

func (f *checkFlags) run(s process, names []string) error {
	if err := f.known(); err != nil {
		return err
	}
	if err := spare(f.html, names...); err != nil {
		return err
	}
	all := []checked{}
	overall := model.Vacuous
	var unread error
	for _, name := range names {
		c, err := f.check(s, name)
		if err != nil {
			// The other histories are judged all the same.
			unread = errors.Join(unread, err)
			continue
		}
		if len(all) == 0 {
			overall = c.result.Verdict
		}
		all = append(all, *c)
		overall = model.Worst(overall, c.result.Verdict)
		if !f.json {
			f.text(s, c)
		}
	}
	if f.json {
		unread = errors.Join(unread, report.WriteJSON(s.out, all))
	}
	if f.html != "" && len(all) > 0 {
		shown := max(0, slices.IndexFunc(all, func(c checked) bool { return c.result.Verdict == model.Violated }))
		c := &all[shown]
		unread = errors.Join(unread, s.writeFile("html", f.html, func(w io.Writer) error {
			return report.WriteHistoryHTML(w, c.Name, c.history, c.Notes, c.result)
		}))
	}
	return errors.Join(unread, Exit(overall))
}

// known refuses properties that no checker judges, and formats that nothing reads.
func (f *checkFlags) known() error {
	if f.format != "" && !slices.Contains(format.Names(), f.format) {
		return usage("--format %q: there are %s", f.format, strings.Join(format.Names(), ", "))
	}
	for i, name := range f.properties {
		if !slices.Contains(check.Properties(), name) {
			return usage("--property: unknown property %q; there are %s", name, strings.Join(check.Properties(), ", "))
		}
		if slices.Contains(f.properties[:i], name) {
			return usage("--property %s is there twice", name)
		}
	}
	return nil
}

func (f *checkFlags) check(s process, name string) (*checked, error) {
	// Half the usual room for garbage keeps a million operations within 2 GB.
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	recorded, err := f.read(s, name)
	if err != nil {
		return nil, err
	}
	h := recorded.History
	p := newProgress(s, 0, 0)
	p.line("judging, " + report.Counted(uint64(len(h.Operations)), "operation"))
	defer p.end()
	h.Partial = h.Partial || f.partial
	r, err := check.History(h, check.Options{Properties: f.properties, Defaults: recorded.Properties, Budget: f.budget})
	if err != nil {
		return nil, &exitError{exitNoVerdict, fmt.Errorf("%s: %w", name, err)}
	}
	c := &checked{
		Name: name, Format: recorded.Format, Notes: recorded.Notes, Operations: len(h.Operations), Watches: len(h.Watchers), Partial: h.Partial, Verdict: r.Verdict.String(),
		Properties: map[string]judged{}, history: h, result: r,
	}
	for i := range r.Judgements {
		j := &r.Judgements[i]
		c.Properties[j.Property] = judged{j.Verdict.String(), j.Exercised, j.Reason, j.By, j.Operations, j.Watch}
	}
	return c, nil
}

func (f *checkFlags) read(s process, name string) (*format.Recorded, error) {
	if name == "-" {
		r, err := format.ReadStream(s.in, format.Format(f.format))
		if err != nil {
			return nil, usage("%s: %w", name, err)
		}
		return r, nil
	}
	r, err := format.Read(name, format.Format(f.format), func(file *os.File) io.Reader { return newReading(s, file) })
	if err != nil {
		if isRecording(name) {
			err = fmt.Errorf("%s: it is a recording of a run, and no history: carry it out again with %s", name, recording.Again(s.program, name))
		}
		return nil, usage("%w", err)
	}
	return r, nil
}

// isRecording reports whether replay takes a file that is no history.
func isRecording(name string) bool {
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	_, err = recording.Read(file, name)
	return err == nil
}

func (f *checkFlags) text(s process, c *checked) {
	o := s.terminal()
	fmt.Fprintf(s.out, "%s: %s\n", c.Name, report.Recorded(c.history))
	for _, note := range c.Notes {
		fmt.Fprintf(s.out, "  note: %s\n", note)
	}
	for i := range c.result.Judgements {
		j := &c.result.Judgements[i]
		fmt.Fprintf(s.out, "  %-18s %s%s, judged by %s\n", j.Property, o.Verdict(j.Verdict.String(), j.Verdict.String()), howOften(j), j.By)
		switch {
		case j.Operations != nil:
			fmt.Fprintf(s.out, "    %s\n", j.Operations.Sentence)
		case j.Watch != nil:
			fmt.Fprintf(s.out, "    %s\n", j.Watch.Sentence)
		case j.Reason != "":
			fmt.Fprintf(s.out, "    %s: %s\n", j.Verdict, j.Reason)
		}
	}
}

// howOften says how often a property was checked. What is wrong before that needs no
// check.
func howOften(j *check.Judgement) string {
	if j.Verdict == model.Violated && j.Exercised == 0 {
		return ""
	}
	return ", checked " + report.Counted(uint64(j.Exercised), "time")
}
