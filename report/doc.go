// Package report tells people what was found: the story of a run that fails, a
// summary of a campaign, and both as text, HTML, JUnit and JSON.
//
//	Tell        a recorded failing run as a story of a dozen lines
//	Summarize   a campaign: what held, what did not, what was never tried
//	WriteRunHTML, WriteHistoryHTML   pages for a browser
//
// The package imports scenarios and everything below. It must never import a
// command, read flags, or end the process.
package report
