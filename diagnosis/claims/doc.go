// Package claims holds the figures of the documents (the KEPs, and the draft
// that came before them) to what is measured.
//
//	documents  what they say, and the scenario that measures it
//	measure    the campaign, and whether it bears the figure out
//
// A claim without a measurement is never borne out.
package claims
