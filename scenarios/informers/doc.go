// Package informers (unstable) holds the scenarios of informers (KEP-3157): how they list, how they
// watch, what they do when API servers refuse, restart or lag, and what a detector finds in their
// stores.
//
// The package must never import package scenarios, which lists these among its own.
package informers

import (
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/testbed"
)

// Claims are the claims about every informer, contentClaims the claims about its
// contents, and streamedClaims the claims about an informer that streams its list.
var (
	contentClaims  = []*testbed.Property{informers.MatchEtcd, informers.Monotonic, informers.CatchUp}
	Claims         = append([]*testbed.Property{informers.Resumes, informers.TriesAgain}, contentClaims...)
	streamedClaims = append([]*testbed.Property{watches.InitialEvents}, Claims...)
)
