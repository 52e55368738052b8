package overlay

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// undone are changes of upstream that are taken back, one a file, named after the issue or the pull request. Those that
// a branch has in other words stand in its folder.
//
//go:embed undone/*.patch undone/*/*.patch
var undone embed.FS

const extension = ".patch"

// Names are the patches that undo what upstream mended.
func Names() []string {
	files, err := undone.ReadDir("undone")
	if err != nil {
		panic(err)
	}
	var names []string
	for _, f := range files {
		if !f.IsDir() {
			names = append(names, strings.TrimSuffix(f.Name(), extension))
		}
	}
	return names
}

// Find returns the patch of a name for the last of these branches that has one of its own, or that in a file, whose
// path has a slash or ends with .patch or .diff.
func Find(text string, branches ...string) (*Patch, error) {
	if ends := filepath.Ext(text); ends == extension || ends == ".diff" || strings.ContainsRune(text, filepath.Separator) {
		read, err := os.ReadFile(text)
		if err != nil {
			return nil, fmt.Errorf("the patch is not there: %w", err)
		}
		p, err := parse(strings.TrimSuffix(filepath.Base(text), ends), text, string(read))
		if err != nil {
			return nil, err
		}
		p.written = true
		return p, nil
	}
	read, err := undone.ReadFile("undone/" + text + extension)
	for _, branch := range branches {
		if own, none := undone.ReadFile("undone/" + branch + "/" + text + extension); none == nil {
			read, err = own, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("there is no patch %s: want one of %s, or the path of a file", text, strings.Join(Names(), ", "))
	}
	return parse(text, "the patch "+text, string(read))
}
