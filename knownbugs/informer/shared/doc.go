// Package shared holds the known bugs of client-go's shared informers, between a reflector
// and its handlers: the pull request, the release that fixed it, what it changes, and where it
// shows. What a bug changes is a value of a seam of sim/informer/rules.
//
// The package must never import diagnosis, report or a command.
package shared
