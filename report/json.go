package report

import (
	"encoding/json"
	"io"
)

// WriteJSON writes a summary.Summary or a matrix.Matrix as one object.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
