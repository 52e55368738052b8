package recorded

// Script is what a client does to a store and to one watch stream.
type Script struct {
	Name string `json:"name"`
	// Why says what the script is about.
	Why   string `json:"why"`
	Steps []Step `json:"steps"`
}

// Step is a list of actions that are issued back to back.
type Step []Action

// Action is one of its fields.
type Action struct {
	Put     *Put     `json:"put,omitempty"`
	Delete  *Range   `json:"delete,omitempty"`
	Compact *Compact `json:"compact,omitempty"`

	Create          *Create `json:"create,omitempty"`
	Cancel          *Cancel `json:"cancel,omitempty"`
	ProgressRequest bool    `json:"progressRequest,omitempty"`
}

// Put writes a key: the value, or Size equal bytes.
type Put struct {
	Key   string `json:"key"`
	Value string `json:"value,omitempty"`
	Size  int    `json:"size,omitempty"`
}

// Range is etcd's: an empty End is the single key, "\x00" is "from Key on".
type Range struct {
	Key string `json:"key"`
	End string `json:"end,omitempty"`
}

// Compact forgets what was before a revision.
type Compact struct {
	Revision int64 `json:"revision"`
}

// Create asks for a watch; ID 0 lets the server choose.
type Create struct {
	Range
	ID            int64    `json:"id,omitempty"`
	StartRevision int64    `json:"startRevision,omitempty"`
	PrevKV        bool     `json:"prevKV,omitempty"`
	Fragment      bool     `json:"fragment,omitempty"`
	Filters       []string `json:"filters,omitempty"` // "noput", "nodelete"
}

// Cancel asks for the end of a watch.
type Cancel struct {
	ID int64 `json:"id"`
}
