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
