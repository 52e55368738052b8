package etcdtest

import (
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// stacks are those of all goroutines, that of the calling one first.
func stacks() []string {
	buffer := make([]byte, 1<<20)
	return strings.Split(string(buffer[:runtime.Stack(buffer, true)]), "\n\n")
}

// goroutine is what package runtime calls the goroutine that runs.
func goroutine() string {
	var head [32]byte
	name, _, _ := strings.Cut(string(head[:runtime.Stack(head[:], false)]), " [")
	return name
}

// goroutine names the goroutine that runs: by T.Go, or by its function. That of a library has no name.
func (t *T) goroutine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if name := t.names[goroutine()]; name != "" {
		return name
	}
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	first := ""
	for frame, more := frames.Next(); more; frame, more = frames.Next() {
		if !strings.HasPrefix(frame.Function, "runtime.") {
			first = frame.Function
		}
	}
	if slices.ContainsFunc(libraries, func(of string) bool { return strings.HasPrefix(first, of) }) {
		return ""
	}
	return first[strings.LastIndex(first, "/")+1:]
}

// undecided are the goroutines of bubbles that run, or wait so that time stands still.
func undecided() []string {
	var all []string
	for _, stack := range stacks() {
		head, _, _ := strings.Cut(stack, "\n")
		if w := waitsAt(stack); strings.Contains(head, "synctest bubble") && !strings.Contains(head, "(durable)") && w != "" {
			all = append(all, w)
		}
	}
	return all
}

// startedByGo is in the stacks of goroutines that Go has started.
const startedByGo = "created by github.com/watchbed/watchbed/etcdtest.(*T).Go"

// arguments are those of a function in a stack.
var arguments = regexp.MustCompile(`\(([{0_].*)?\)$`)

// libraries are how functions begin of which a stack says nothing.
var libraries = []string{
	"google.golang.org/", "go.etcd.io/", "runtime.", "runtime/", "internal/", "sync.", "time.", "context.", "testing.", "testing/", "panic",
}

// waitsAt are the innermost functions of a stack that are none of the standard library, gRPC or clientv3, and their
// lines.
func waitsAt(stack string) string {
	lines := strings.Split(stack, "\n")
	var all []string
	for i := 1; i+1 < len(lines) && len(all) < 3; i += 2 {
		function := arguments.ReplaceAllString(lines[i], "")
		if strings.HasPrefix(function, "created by ") {
			break
		}
		ours := strings.HasPrefix(function, "github.com/watchbed/watchbed/etcdtest.") && !strings.Contains(lines[i+1], "_test.go:")
		if ours || slices.ContainsFunc(libraries, func(of string) bool { return strings.HasPrefix(function, of) }) {
			continue
		}
		place, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
		all = append(all, function+" at "+filepath.Base(place))
	}
	return strings.Join(all, ", called by ")
}

// bubbleStacks are the stacks of the goroutines of this bubble, without that of the caller.
func bubbleStacks(of func(stack string) bool) []string {
	var all []string
	every := stacks()
	for _, stack := range every[1:] {
		head, _, _ := strings.Cut(stack, "\n")
		if strings.Contains(head, bubbleOf(every[0])) && of(stack) {
			all = append(all, stack)
		}
	}
	return all
}

// bubbleOf is how the head of a stack names its bubble.
func bubbleOf(stack string) string {
	head, _, _ := strings.Cut(stack, "\n")
	at := strings.Index(head, "synctest bubble ")
	if at < 0 {
		return "synctest bubble"
	}
	return strings.TrimRight(head[at:], "]:")
}
