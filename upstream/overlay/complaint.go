package overlay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Complaint is what the go command says when it fails.
type Complaint struct {
	text string
	err  error
}

// Error is the first complaint.
func (c *Complaint) Error() string {
	text, _, _ := c.first()
	return text
}

// first is the first complaint in one line, made of so many of all lines that say what is wrong. It goes on behind a
// heading and with lines that are indented, such as packages that import the one that is missing.
func (c *Complaint) first() (text string, lines, all int) {
	var wrong []string
	for line := range strings.Lines(c.text) {
		if strings.TrimSpace(line) != "" && !beside.MatchString(line) {
			wrong = append(wrong, line)
		}
	}
	if len(wrong) == 0 {
		return c.err.Error(), 1, 1
	}
	text = strings.TrimSpace(wrong[0])
	for lines = 1; lines < len(wrong) && (strings.HasSuffix(text, ":") || strings.HasPrefix(wrong[lines], "\t")); lines++ {
		text += " " + strings.TrimSpace(wrong[lines])
	}
	return text, lines, len(wrong)
}

// beside are lines that say nothing of what is wrong.
var beside = regexp.MustCompile(`^#|^go: (downloading|finding module for package|found) `)

// complaintLog is the file in the folder of a guest that has all that the go command complains about.
const complaintLog = "complaint.log"

// Logged says in one line what failed and the first complaint about it, and where all of them are if there are more.
func Logged(failed, work string, err error) error {
	var c *Complaint
	if !errors.As(err, &c) {
		return fmt.Errorf("%s: %w", failed, err)
	}
	text, lines, all := c.first()
	path := filepath.Join(work, complaintLog)
	if lines == all || os.WriteFile(path, []byte(c.text+"\n"), 0o644) != nil {
		return fmt.Errorf("%s: %s", failed, text)
	}
	return fmt.Errorf("%s: %s (more in %s)", failed, text, path)
}
