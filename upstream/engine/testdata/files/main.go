//go:build wasip1

// Files is a guest that does with files what it is told, each in a goroutine of its own.
package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// files are those that are open, by their names.
var files = map[string]*os.File{}

func main() {
	for {
		r := protocol.Reader{Bytes: protocol.Receive()}
		_, conn := r.Begin()
		said := r.Text()
		go func() {
			answer, err := do(strings.Split(said, " "))
			if err != nil {
				answer = err.Error()
			}
			protocol.Send(new(protocol.Writer).Begin(protocol.Did, conn).Text(answer))
		}()
	}
}

func do(words []string) (string, error) {
	path, text, number := words[1], words[len(words)-1], int64(0)
	fmt.Sscan(text, &number)
	switch words[0] {
	case "make":
		return "", os.MkdirAll(path, 0o700)
	case "open":
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		files[path] = f
		return "", err
	case "create":
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		files[path] = f
		return "", err
	case "close":
		return "", files[path].Close()
	case "write":
		_, err := files[path].WriteString(text)
		return "", err
	case "append":
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return "", err
		}
		defer f.Close()
		_, err = f.WriteString(text)
		return "", err
	case "seek":
		to, err := files[path].Seek(number, io.SeekStart)
		return fmt.Sprint(to), err
	case "truncate":
		return "", files[path].Truncate(number)
	case "sync":
		return "synced", files[path].Sync()
	case "read":
		b, err := os.ReadFile(path)
		return strings.ReplaceAll(string(b), "\x00", "."), err
	case "rename":
		return "", os.Rename(path, text)
	case "link":
		return "", os.Link(path, text)
	case "remove":
		return "", os.Remove(path)
	case "removeall":
		return "", os.RemoveAll(path)
	case "stat":
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(info.Name(), " ", info.IsDir(), " ", info.Size()), nil
	case "list":
		entries, err := os.ReadDir(path)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
			if e.IsDir() {
				names[len(names)-1] += "/"
			}
		}
		return strings.Join(names, " "), err
	case "random":
		b := make([]byte, 4)
		_, err := rand.Read(b)
		return hex.EncodeToString(b), err
	}
	return "", fmt.Errorf("%s is not known", words[0])
}
