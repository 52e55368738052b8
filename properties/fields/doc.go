// Package fields is the list of everything that a client can be sent: each field of
// each answer, event, bookmark and refusal of package wire, with the properties that
// judge it, or with the reason why none does.
//
// Its tests go through the message types, and fail on a field that is not in the
// list. They also change each judged field of a message on its way to a client, and
// fail if none of its properties notices.
//
// It imports the packages of properties and what is below them. It must never
// import scenarios; its tests do.
package fields
