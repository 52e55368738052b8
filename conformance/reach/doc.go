// Package reach searches a simulation for a schedule in which clients see exactly what
// they were recorded to have seen: whether what a real server answered to concurrent
// requests is among what the simulated one can answer.
//
// A recording is a list of moments in real-time order: a client has begun to send
// something, or has been handed an answer. What a client does is therefore no choice:
// it sends as soon as all moments before have come, because a message may take as long
// as it likes anyway, and it takes every answer at once, because an answer that lies
// with the client until it is read is seen by no other node. What is left to choose is
// what the nodes between do, and when. Of that, too, some things are no choice if the
// caller says so (Recording.Prompt). The search is depth-first over these choices. It
// goes back as soon as a client is sent something that the recording has not, or the
// caller knows that it will be (Recording.Hopeless). It enters no state twice
// (sim.World.Fingerprint, with how far each client has got).
//
// The world has to be untimed: any timer may fire at any time, so that whatever a real
// clock allows is among the schedules. A world that cannot answer so on any schedule
// is refuted, but for collisions of 64-bit fingerprints. A search that has used up its
// states is undecided.
//
// The package imports explore and sim. It must never import what is simulated.
package reach
