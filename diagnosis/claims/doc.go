// Package claims holds the figures of the documents (the KEPs, and the draft
// that came before them) to what is measured.
//
//	documents  what they say that a campaign measures, and the scenario for it
//	measure    the campaign, and whether it bears the figure out
//	figures    what is measured beside each number of the documents
//	numbers    these numbers
//	markdown   the table of all figures, figures.md
//
// A claim without a measurement is never borne out.
package claims
