package wire

import "github.com/watchbed/watchbed/sim"

// The writes of an API server, as storage.Interface takes them. What upstream is a function of
// the caller, the update and the validation of a deletion, is a value here: so a request can be
// hashed, and judged by properties, which know nothing of the server.
//
// To these functions the value of an object is a list of members with MemberSeparator between
// them: "a+b" has a and b.

// MemberSeparator stands between the members of a value.
const MemberSeparator = "+"

// CreateRequest creates an object (storage.Interface.Create).
type CreateRequest struct{ Key, Value string }

func (r *CreateRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("create").Text(r.Key).Text(r.Value)
}

func (r *CreateRequest) Label() string { return "CREATE " + r.Key + "=" + r.Value }

// GuaranteedUpdateRequest changes an object from what it is (storage.Interface.GuaranteedUpdate).
type GuaranteedUpdateRequest struct {
	Key string
	// Add is the member that the object has afterwards, behind the others. One that has it
	// already is left as it is.
	Add string
	// Expected is the resourceVersion that the object must have by the update function
	// itself, as registry.Store.Update compares that of a PUT. 0 is any.
	Expected int64
	// Precondition is storage.Preconditions.ResourceVersion, 0 for none.
	Precondition int64
	// IgnoreNotFound: an object that is not there counts as one without members.
	IgnoreNotFound bool
}

func (r *GuaranteedUpdateRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("guaranteed update").Text(r.Key).Text(r.Add).Int(r.Expected).Int(r.Precondition).Bool(r.IgnoreNotFound)
}

func (r *GuaranteedUpdateRequest) Label() string {
	s := "UPDATE " + r.Key + " adds " + r.Add
	if r.Expected != 0 {
		s += " to RV=" + itoa(r.Expected)
	}
	if r.IgnoreNotFound {
		s += " or creates"
	}
	return s + precondition(r.Precondition)
}

// DeleteRequest deletes an object (storage.Interface.Delete).
type DeleteRequest struct {
	Key string
	// Holding is the member that the object must have by the validation of the deletion;
	// empty allows all deletions (storage.ValidateAllObjectFunc).
	Holding string
	// Precondition is storage.Preconditions.ResourceVersion, 0 for none.
	Precondition int64
}

func (r *DeleteRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("delete object").Text(r.Key).Text(r.Holding).Int(r.Precondition)
}

func (r *DeleteRequest) Label() string {
	s := "DELETE " + r.Key
	if r.Holding != "" {
		s += " holding " + r.Holding
	}
	return s + precondition(r.Precondition)
}

func precondition(resourceVersion int64) string {
	if resourceVersion == 0 {
		return ""
	}
	return " if RV=" + itoa(resourceVersion)
}

// ObjectResponse is the object that a write has made, or has left as it was. The object of a
// deletion is the deleted one, with the resourceVersion of the deletion.
type ObjectResponse struct{ Item *KeyValue }

func (r *ObjectResponse) Digest(d sim.Digest) sim.Digest { return r.Item.Digest(d.Text("object")) }

func (r *ObjectResponse) Label() string {
	return r.Item.Key + "=" + r.Item.Value + " of RV=" + itoa(r.Item.ModRevision)
}
