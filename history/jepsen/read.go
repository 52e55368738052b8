// Package jepsen (unstable) reads what Jepsen recorded of etcd: history.edn of jepsen-io/etcd (one
// operation a line, with or without a tag such as #jepsen.history.Op), history.txt (process,
// :invoke, :write and 3, apart by tabs), and the logs that have the same columns behind what the
// logger adds: what a test prints, jepsen.log, and those of older tests ("INFO  jepsen.util - 0
// :invoke :write 3"). Lines come in the order in which things happened, so that a line's number
// is its call or return. Other lines of a log are passed over.
//
// An operation that ends as :info, or does not end, may have happened. An operation that ends as :fail
// did not, for whatever reason. Only if a cas fails with :error :did-not-succeed, its comparison is
// judged. Nemeses are passed over. The workloads, told apart by :f and the values:
//
//   - register: reads, writes and cas of one key (logs) or several (history.edn). A log has
//     values alone. history.edn has versions, too: if there is one key only, a version is as
//     good as a revision, and is judged as one. With several keys versions are left out.
//   - set: each element that is added is a key, and a read is a list of all of them.
//   - append and wr: a transaction. Each element that is appended is a key of its list, so
//     that lost and stale elements are found, and their order within a list is not judged.
//   - watch: writes of one key, and what each process was sent, with the revisions of events.
//
// Reads count as consistent: a test with --serializable true does not say so in its history.
//
// It must never import a judge.
package jepsen

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// Begins reports whether a file that begins so looks like one of Jepsen's.
func Begins(text string) bool {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	return isEDN(text) || isLogged(line) || areColumns(line)
}

// isEDN reports whether a text begins with maps, or with a vector of them.
func isEDN(text string) bool {
	p := parser{in: text}
	for p.next(0) == nil && strings.HasPrefix(p.in[p.at:], "[") {
		p.at++
	}
	body, isMap := strings.CutPrefix(p.in[p.at:], "{")
	return isMap && strings.HasPrefix(strings.TrimLeft(body, " \t\r\n"), ":") || strings.HasPrefix(p.in[p.at:], "#jepsen")
}

// Read reads a history.edn or a log. The notes say what was left out. Every error begins with
// the number of the line at fault.
func Read(r io.Reader) (h *model.History, notes []string, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	ahead, _ := in.Peek(in.Size())
	t := &test{open: map[string]int{}}
	if text := strings.TrimPrefix(string(ahead), "\ufeff"); isEDN(text) {
		err = t.readEDN(in)
	} else {
		err = t.readLines(in)
	}
	if err != nil {
		return nil, nil, err
	}
	a := history.NewAssembly()
	w, notes, err := workloadOf(a, t.ops)
	if err != nil {
		return nil, nil, err
	}
	for i := range t.ops {
		o := &t.ops[i]
		r, res, err := w(o)
		if err != nil {
			return nil, nil, history.InLine(o.last, err)
		}
		if r != nil {
			o.add(a, r, res)
		}
		// A long history would be in memory twice otherwise.
		*o = op{}
	}
	h, err = a.Finish()
	return h, notes, err
}

// op is an operation of a process from its invocation to its end.
type op struct {
	process string
	f       string
	// asked and told are :value when it was invoked and when it ended, failed is :error.
	asked, told, failed value
	// how is the :type of its end; "info" if it did not end.
	how string
	// called and ended are its moments; ended is 0 if it did not end. line and last are where it begins and ends.
	called, ended, line, last int64
}

// test is what is known of a test so far.
type test struct {
	ops []op
	// open has the operation that each process has not ended.
	open map[string]int
	// now is the moment of the entry before: its line, or more if several are on a line.
	now int64
}

// readLines reads a log, or Jepsen's history.txt.
func (t *test) readLines(r io.Reader) error {
	log := false
	in := history.NewLines(r, history.MaxLineBytes, "leave out the two lines of the operation")
	return in.Each(func(text []byte, number int64) error {
		line := string(text)
		if strings.TrimSpace(line) == "" {
			return nil
		}
		if !utf8.ValidString(line) {
			return errNotUTF8
		}
		if log = log || isLogged(line); log {
			if line = operationOf(line); line == "" {
				return nil
			}
		}
		e, err := readColumns(line)
		if err != nil {
			return err
		}
		return t.enter(e, number)
	})
}

var errNotUTF8 = errors.New("not valid UTF-8")

// readEDN reads maps, one after the other or in a vector.
func (t *test) readEDN(r io.Reader) error {
	var all strings.Builder
	if _, err := io.Copy(&all, io.LimitReader(r, history.MaxHistoryBytes+1)); err != nil {
		return history.InLine(1, err)
	}
	if all.Len() > history.MaxHistoryBytes {
		return history.InLine(1, fmt.Errorf("the history is longer than %d bytes: record a shorter test", history.MaxHistoryBytes))
	}
	p := parser{in: strings.TrimPrefix(all.String(), "\ufeff")}
	line, open, seen := int64(1), 0, 0
	for {
		err := p.next(0)
		line += int64(strings.Count(p.in[seen:p.at], "\n"))
		seen = p.at
		switch {
		case err != nil:
		case p.at == len(p.in) && open == 0:
			return nil
		case p.at == len(p.in):
			err = errCut
		case p.in[p.at] == '[':
			p.at++
			open++
		case p.in[p.at] == ']' && open > 0:
			p.at++
			open--
		default:
			err = t.readMap(&p, line)
		}
		if err != nil {
			return history.InLine(line, err)
		}
	}
}

func (t *test) readMap(p *parser, line int64) error {
	from := p.at
	v, err := p.value(0)
	if err != nil {
		return err
	}
	if !utf8.ValidString(p.in[from:p.at]) {
		return errNotUTF8
	}
	e, err := entryOf(&v)
	if err != nil {
		return err
	}
	return t.enter(e, line)
}

// enter takes an entry: an operation begins, or ends. Nemeses are passed over.
func (t *test) enter(e entry, line int64) error {
	if strings.HasPrefix(e.process, "nemesis") {
		return nil
	}
	t.now = max(t.now+1, line)
	at, busy := t.open[e.process]
	switch {
	case e.kind == "invoke" && busy:
		return fmt.Errorf("process %s invokes %s before its %s of line %d has ended", e.process, e.f, t.ops[at].f, t.ops[at].line)
	case e.kind == "invoke":
		t.open[e.process] = len(t.ops)
		t.ops = append(t.ops, op{process: e.process, f: e.f, asked: e.value, how: "info", called: t.now, line: line, last: line})
		return nil
	case !slices.Contains([]string{"ok", "fail", "info"}, e.kind):
		return fmt.Errorf("unknown :type %q: want :invoke, :ok, :fail or :info", shorten(e.kind))
	case !busy:
		return fmt.Errorf("process %s ends a %s that it has not invoked", e.process, e.f)
	case t.ops[at].f != e.f:
		return fmt.Errorf("process %s has invoked a %s in line %d, and ends a %s", e.process, t.ops[at].f, t.ops[at].line, e.f)
	}
	o := &t.ops[at]
	o.how, o.told, o.failed, o.ended, o.last = e.kind, e.value, e.failed, t.now, line
	delete(t.open, e.process)
	return nil
}

// entry is one line of a log, or one map.
type entry struct {
	process, kind, f string
	value, failed    value
}

func entryOf(v *value) (entry, error) {
	if v.kind != table {
		return entry{}, errors.New("want a map, such as {:process 0, :type :invoke, :f :read, :value nil}")
	}
	e := entry{
		process: v.get("process").String(), kind: v.get("type").word, f: v.get("f").word,
		value: *v.get("value"), failed: *v.get("error"),
	}
	for _, name := range [...]string{"process", "type", "f"} {
		if v.get(name).isNil() {
			return e, fmt.Errorf(":%s is missing", name)
		}
	}
	return e, nil
}

// The levels that Jepsen's logger writes: the first word of a line on the console, and the
// second column of jepsen.log.
var levels = []string{"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"}

// operations is the name under which Jepsen logs what its processes do.
const operations = "jepsen.util"

// isLogged reports whether Jepsen's logger has written a line.
func isLogged(line string) bool {
	if level, _, _ := strings.Cut(line, " "); slices.Contains(levels, level) {
		return true
	}
	columns := strings.SplitN(line, "\t", 3)
	return len(columns) == 3 && slices.Contains(levels, columns[1])
}

// operationOf is what a line of a log says of an operation: its columns. It is empty if the
// line is about something else, such as a database that is installed, or part of a stack trace.
func operationOf(line string) string {
	if !isLogged(line) {
		return ""
	}
	_, rest, found := strings.Cut(line, operations)
	if !found {
		return ""
	}
	// "jepsen.util - 0", "jepsen worker 0 - jepsen.util 0", and "[jepsen worker 0] jepsen.util: 0".
	rest = strings.TrimLeft(strings.TrimPrefix(rest, ":"), " -")
	if columns := strings.Fields(rest); len(columns) < 2 || !slices.Contains(types, columns[1]) {
		return ""
	}
	return rest
}

// types are those of a line about an operation.
var types = []string{":invoke", ":ok", ":fail", ":info"}

// areColumns reports whether a line is of Jepsen's history.txt, or of a log without what the
// logger adds.
func areColumns(line string) bool {
	columns := strings.Split(line, "\t")
	return len(columns) >= 3 && strings.HasPrefix(columns[1], ":") && strings.HasPrefix(columns[2], ":")
}

// readColumns reads process, type, f, value and error. Logs that people have edited have
// spaces in the place of tabs.
func readColumns(line string) (entry, error) {
	rest := line
	var columns [3]string
	for i := range columns {
		rest = strings.TrimLeft(rest, " \t")
		end := strings.IndexAny(rest, " \t")
		if end < 0 {
			return entry{}, errors.New("want the columns process, type, f and value, such as 0, :invoke, :write and 3")
		}
		columns[i], rest = rest[:end], rest[end:]
	}
	if columns[0][0] == ':' {
		columns[0] = columns[0][1:]
	}
	e := entry{process: columns[0], kind: strings.TrimPrefix(columns[1], ":"), f: strings.TrimPrefix(columns[2], ":")}
	p := parser{in: rest}
	var err error
	if e.value, err = p.value(0); err != nil {
		return e, err
	}
	if p.space(); p.at == len(p.in) {
		return e, nil
	}
	if e.failed, err = p.value(0); err != nil {
		return e, err
	}
	if p.space(); p.at < len(p.in) {
		return e, fmt.Errorf("more than process, type, f, value and error: %q follows", shorten(p.in[p.at:]))
	}
	return e, nil
}
