// Package report (unstable) renders what package diagnosis and its sub-packages
// computed: as text for a terminal, as a page for a browser, as JUnit and as
// JSON.
//
//	WriteStory, WriteSummary, WriteMatrix, WriteCompared, WriteProof   text, laid out by Page
//	WriteRunHTML, WriteHistoryHTML, WriteMatrixHTML, WriteProofHTML    pages that need nothing from elsewhere
//	WriteJUnit, WriteJSON                                              for other tools
//
// It computes nothing that another reader would want, and runs nothing. It must
// never import a command, read flags, or end the process.
package report
