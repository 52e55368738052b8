package report

import (
	"encoding/json"
	"io"
)

// WriteJSON writes what a command found.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
