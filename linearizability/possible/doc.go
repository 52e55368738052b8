// Package possible (unstable) knows what all completions of a history have in common.
//
// A history leaves open which writes of unknown outcome took effect and at which revision, which
// leases expired and, if it is partial, what other clients wrote. A completion decides all of
// that. A history is violated if and only if it is violated in every completion.
//
// A Timeline has, for each key and each revision, all that the key may be in some completion. A
// write of which the revision is known leaves one possibility. A revision that no write is known to
// have made adds the effects of each write that can have made it. Where each of these writes changes
// a key, the key's earlier items are no longer possible. An answer that none of the possibilities
// gives is wrong in every completion. Keys are looked at one by one, so that more may seem possible
// than is. Less never does.
//
// It must never import a judge: which position an operation needs is the judge's to say.
package possible
