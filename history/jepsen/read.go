package jepsen

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// IsLine reports whether the first line of a file looks like one of Jepsen's.
func IsLine(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "{:") || strings.HasPrefix(line, "#jepsen") || isLogged(line) || areColumns(line)
}

// Read reads a history.edn or a log, line by line. The notes say what was left out. Every
// error begins with the number of the line at fault.
func Read(r io.Reader) (h *model.History, notes []string, err error) {
	ops, err := readOps(r)
	if err != nil {
		return nil, nil, err
	}
	a := history.NewAssembly()
	w, notes, err := workloadOf(ops)
	if err != nil {
		return nil, nil, err
	}
	for i := range ops {
		o := &ops[i]
		if err := a.Room(); err != nil {
			return nil, nil, lineError(o.called, err)
		}
		if err := w.add(a, o); err != nil {
			return nil, nil, lineError(max(o.called, o.ended), err)
		}
		// A long history would be in memory twice otherwise.
		*o = op{}
	}
	h, err = a.Finish(func(line int64) string { return fmt.Sprintf("line %d", line) })
	return h, notes, err
}

func lineError(number int64, err error) error { return fmt.Errorf("line %d: %w", number, err) }

// op is an operation of a process from its invocation to its end.
type op struct {
	process string
	f       string
	// asked and told are :value when it was invoked and when it ended, failed is :error.
	asked, told, failed value
	// how is the :type of its end; "info" if it did not end.
	how string
	// called and ended are lines; ended is 0 if it did not end.
	called, ended int64
}

func readOps(r io.Reader) ([]op, error) {
	var ops []op
	open := map[string]int{}
	log := false
	in := history.NewLines(r, history.MaxLineBytes, "leave out the two lines of the operation")
	for in.Next() {
		line, number := string(in.Bytes()), in.Number
		if strings.TrimSpace(line) == "" {
			continue
		}
		if !utf8.ValidString(line) {
			return nil, lineError(number, errors.New("not valid UTF-8"))
		}
		log = log || isLogged(line)
		if log {
			if line = operationOf(line); line == "" {
				continue
			}
		}
		e, err := readEntry(line)
		if err != nil {
			return nil, lineError(number, err)
		}
		if strings.HasPrefix(e.process, "nemesis") {
			continue
		}
		if err := enter(&ops, open, e, number); err != nil {
			return nil, lineError(number, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	return ops, nil
}

// enter takes a line: an operation begins, or ends.
func enter(ops *[]op, open map[string]int, e entry, number int64) error {
	at, busy := open[e.process]
	switch {
	case e.kind == "invoke" && busy:
		return fmt.Errorf("process %s invokes %s before its %s of line %d has ended", e.process, e.f, (*ops)[at].f, (*ops)[at].called)
	case e.kind == "invoke":
		open[e.process] = len(*ops)
		*ops = append(*ops, op{process: e.process, f: e.f, asked: e.value, how: "info", called: number})
		return nil
	case !slices.Contains([]string{"ok", "fail", "info"}, e.kind):
		return fmt.Errorf("unknown :type %q: want :invoke, :ok, :fail or :info", shorten(e.kind))
	case !busy:
		return fmt.Errorf("process %s ends a %s that it has not invoked", e.process, e.f)
	case (*ops)[at].f != e.f:
		return fmt.Errorf("process %s has invoked a %s in line %d, and ends a %s", e.process, (*ops)[at].f, (*ops)[at].called, e.f)
	}
	o := &(*ops)[at]
	o.how, o.told, o.failed, o.ended = e.kind, e.value, e.failed, number
	delete(open, e.process)
	return nil
}

// entry is one line.
type entry struct {
	process, kind, f string
	value, failed    value
}

func readEntry(line string) (entry, error) {
	if !strings.HasPrefix(strings.TrimSpace(line), "{") && !strings.HasPrefix(line, "#") {
		return readColumns(line)
	}
	v, err := parse(line)
	if err != nil {
		return entry{}, err
	}
	if v.kind != table {
		return entry{}, errors.New("a line is a map, such as {:process 0, :type :invoke, :f :read, :value nil}")
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
