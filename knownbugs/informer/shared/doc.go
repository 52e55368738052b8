// Package shared holds the known bugs of client-go's shared informers, between a reflector
// and its handlers: the pull request, the release that fixed it, what it changes, and where it
// shows. What a bug changes is a field of Deviations.
//
// The package must never import diagnosis, report or a command.
package shared
