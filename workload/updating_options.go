package workload

import "github.com/watchbed/watchbed/sim/option"

// UpdatingOptions are about clients that write through an API server.
type UpdatingOptions struct {
	// Clients is how many there are, spread over the API servers; Updates is how many writes each
	// of them asks for.
	Clients, Updates int
	// Kind is what they write: "add", each time a member to an object, or "every": they create
	// objects, add members to them, in every way, and delete them.
	Kind string
}

var updatingGroup = option.NewGroup("clients",
	option.Count("updaters", func(o *UpdatingOptions) *int { return &o.Clients }, "", "clients that write through an API server"),
	option.Count("updates", func(o *UpdatingOptions) *int { return &o.Updates }, "", "writes of each of them"),
	option.Words("update", func(o *UpdatingOptions) *string { return &o.Kind }, "what they write",
		option.Val("add", "each time one member more into an object"),
		option.Val("every", "objects that they create, add members to in every way, and delete")),
)
