package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/report"
)

// progress keeps one line on a terminal up to date, and is silent elsewhere.
type progress struct {
	w     io.Writer
	width int
	live  bool
	shown bool
	seeds uint64
	limit time.Duration
}

func newProgress(s process, seeds uint64, limit time.Duration) *progress {
	width, live := s.live()
	return &progress{w: s.err, width: width, live: live, seeds: seeds, limit: limit}
}

func (p *progress) campaign(c *campaign.Result) {
	if !p.live {
		return
	}
	seconds := max(c.Elapsed.Seconds(), 1e-3)
	done := fmt.Sprintf("%d schedules", c.Schedules)
	switch {
	case p.limit > 0:
		done = fmt.Sprintf("%s of %s, %s", c.Elapsed.Round(time.Second), p.limit, done)
	case p.seeds > 0:
		done = fmt.Sprintf("%d of %d schedules", c.Schedules, p.seeds)
		left := float64(p.seeds-c.Schedules) / max(float64(c.Schedules), 1) * float64(c.Elapsed)
		if left < float64(longestLeft) {
			done += fmt.Sprintf(", %s left", time.Duration(left).Round(time.Second))
		}
	}
	// A narrow terminal has room for the beginning.
	p.line(fmt.Sprintf("%s, %s, %.1f M choices/s", failures(len(c.Failures)), done, float64(c.Stats.Choices)/seconds/1e6))
}

// search shows how far a search of every schedule is.
func (p *progress) search(at prove.Progress) {
	p.line(searched(at))
}

// searched says how far a search is. How many states there will be is not known, so what is
// left is said of the depth that is searched.
func searched(at prove.Progress) string {
	seconds := max(at.Elapsed.Seconds(), 1e-3)
	text := fmt.Sprintf("%d states, %.0f a second; depth %d: %d of %d", at.States, float64(at.States)/seconds, at.Depth, at.Done, at.Layer)
	left := time.Duration(float64(at.Layer-at.Done) / max(float64(at.Expanded), 1) * float64(at.Elapsed)).Round(time.Second)
	if left > 0 && left < longestLeft {
		text += fmt.Sprintf(", %s left of it", left)
	}
	return text + fmt.Sprintf("; next depth: %d so far; %d MB", at.Next, at.Bytes>>20)
}

// schedules shows how far a search of one schedule of each class is.
func (p *progress) schedules(at schedules.Progress) {
	seconds := max(at.Elapsed.Seconds(), 1e-3)
	p.line(fmt.Sprintf("%d schedules, %d steps, %.0f a second", at.Schedules, at.Steps, float64(at.Steps)/seconds))
}

// longestLeft is how much time may be left for the line to say so.
const longestLeft = 100 * time.Hour

func failures(n int) string {
	switch n {
	case 0:
		return "no violation"
	case 1:
		return "1 way to fail"
	}
	return fmt.Sprintf("%d ways to fail", n)
}

// line replaces the line on the terminal.
func (p *progress) line(text string) {
	if !p.live {
		return
	}
	if len(text) >= p.width {
		text = text[:p.width-1]
	}
	fmt.Fprint(p.w, "\r\x1b[K"+text)
	p.shown = true
}

// end takes the line away.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// clear takes away the line that another one may have left.
func (p *progress) clear() {
	p.shown = p.live
	p.end()
}

// reading passes a file on, and shows on a terminal how far it is.
type reading struct {
	from     io.Reader
	progress *progress
	done     int64
	size     int64
	shown    time.Time
}

func newReading(s process, file *os.File) *reading {
	r := &reading{from: file, progress: newProgress(s, 0, 0)}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		r.size = info.Size()
	}
	return r
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.done += int64(n)
	if now := time.Now(); now.Sub(r.shown) > time.Second/4 {
		r.shown = now
		text := fmt.Sprintf("reading, %d MB", r.done>>20)
		if r.size > 0 {
			text = fmt.Sprintf("reading, %d of %d MB", r.done>>20, r.size>>20)
		}
		r.progress.line(text)
	}
	if err != nil {
		r.progress.end()
	}
	return n, err
}

// process is what a command knows of the process that runs it: the name of the
// program, and where it reads and writes. The files are nil where there is none, as
// in tests: then nothing is a terminal.
type process struct {
	program string
	// args are those of the command, the program's name left out.
	args             []string
	in               io.Reader
	out, err         io.Writer
	outFile, errFile *os.File
	// stdout is out, for files that are written there.
	stdout *output
	beds   []Bed
}

// terminal describes where the command prints.
func (s process) terminal() report.Terminal {
	printed := s.outFile
	if s.stdout.said != nil {
		printed = s.errFile
	}
	return s.terminalOf(printed)
}

// terminalOf describes the terminal that a file is, if it is one.
func (s process) terminalOf(printed *os.File) report.Terminal {
	if printed == nil || !term.IsTerminal(int(printed.Fd())) {
		return report.Terminal{Program: s.program}
	}
	t := report.Terminal{Program: s.program, Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(printed.Fd())); err == nil {
		// Long lines are hard to read, however wide the window is.
		t.Width = min(width, 110)
	}
	return t
}

// live reports whether progress can be shown: on a terminal that can go back to
// the start of a line.
func (s process) live() (width int, ok bool) {
	if s.errFile == nil || !term.IsTerminal(int(s.errFile.Fd())) || os.Getenv("TERM") == "dumb" {
		return 0, false
	}
	width, _, err := term.GetSize(int(s.errFile.Fd()))
	return width, err == nil && width > 0
}

// tool is what recordings say of the program that wrote them.
func (s process) tool() string { return s.program + ", watchbed " + version() }

// complain writes a line to standard error, behind the name of the program.
func (s process) complain(format string, args ...any) {
	fmt.Fprintln(s.err, s.program+": "+fmt.Sprintf(format, args...))
}

// named is a text of the command line with the name of the program in it.
func (s process) named(text string) string { return strings.ReplaceAll(text, "PROGRAM", s.program) }
