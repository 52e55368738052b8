package memory

import "github.com/watchbed/watchbed/sim/wire"

// What an answer takes beside its objects are factors of KEP-3157: "around
// O(5*the_response_from_etcd)" if it comes from etcd ("Motivation"), and
// "O({2,3}*the-size-of-the-page)" if it comes from the cache ("Alternatives"), of which
// this is the greater.
const (
	factorOfEtcd  = 5
	factorOfCache = 3
)

// Taken is what a process takes for an answer until its client has all of it, in
// objects.
func Taken(answer *wire.ListResponse) int {
	if answer.Origin == wire.FromCache {
		return factorOfCache * len(answer.Items)
	}
	return factorOfEtcd * len(answer.Items)
}
