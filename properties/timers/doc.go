// Package timers has the properties of the timers of a cache: for what they are set, and
// how long it pauses before it lists again and keeps what clients may ask for later.
package timers
