// Package prove (unstable) searches every schedule of a subject within bounds, in place of a sample
// of them.
//
// The search is breadth-first over states, so that the first violation is a shortest one.
// A state is what the nodes will do (sim.World.Behaviour), how far the bounds are used up,
// and of the past only what a verdict still depends on (Subject.Monitors). Two schedules that
// come to the same state go on as one.
//
// Of each state only its key, a hash of it, the state before it and the step between them are
// kept. The search keeps the parts of some states that were found until their turn comes
// (frontier). Other states are made again by walking the tree of steps, one layer at a time and
// always forward, along one path.
//
// A state is a short list of numbers, each of a part of its world: a node, a connection with what is under way on it
// (Store; SPIN's collapse compression keeps states so, Holzmann 1997). Most steps of most states were taken by the same
// node in another state before, and are repeated as a change of a few numbers; worlds are put together for the others
// only. Parts are compared whole, value by value (values.Alike), so that this adds nothing to what a fingerprint can
// miss. What judges say of a state is kept by the nodes on which it depends (views). A subject that remembers is asked
// about each state. All workers share what is learned (learned): they read it without a lock, carry out steps and
// compare nodes without one, and one at a time adds to it. Which of them was first makes no difference to the result,
// since a state is told from others by its fingerprint, and not by the numbers of its parts.
//
// What is learned is weighed (values.Weigh), and forgotten when it takes its share of Config.Bytes: then the search
// learns anew, with the same result.
//
//	Subject   what is proved
//	Remembering  what no node has recorded of the steps before a state, and judges need
//	Bounds    what the search leaves out, and says so
//	Search    layer by layer, on several workers, with the same result on any number
//	Keep      where a search is kept on disk, to go on after it was interrupted
//	Liveness  what must come sooner or later
//	Result    what was covered, what was cut, and the shortest run of each failure
//
// If the subject has a liveness property, the steps between the states in which it is open are kept as
// well. A set of states that lead to each other, in which it stays open and each thread
// can have its turn, is a knot: a schedule that goes around in it is fair and never comes to its
// end. It is told as a way into a loop, and the loop.
//
// A timed run (sim.Timed) has the clock and all deadlines in its state. Nodes keep readings of the
// clock, so that the same at another time is another state: only the horizon of the subject ends the
// search, and a state is not met again later in a run. What is due first happens first, in every order of
// what is due at one moment. A run starts in one of many ways, by the answers to the questions that nodes
// ask when they start (phases of tickers, first delays): each is a state behind the first one. Each
// delay is a question with a few answers (sim.Delay), of which Bounds.Answers may leave out those in the
// middle. Nothing is shown of the delays that are left out, nor of those between the answers. An untimed
// run stands for all delays, and says nothing of how long anything takes.
//
// A search that is kept goes on when memory is full: the tree is read from the file of states,
// and fingerprints from a sorted file (as in TLC; sorted has the reasons against delayed
// detection of duplicates, as in Murphi). The graph of a liveness property stays in memory.
//
// A search is right but for collisions of keys; Result.Collision bounds their probability. A key is
// a fingerprint of 64 bits. The bytes of states are not kept: a node hashes
// on what its log and its store take in, and a part of a state is a word in the hash of the whole, so
// that there are no bytes of a whole state to keep.
//
// A fingerprint is what a node says of itself. A node with one that is promoted from what it embeds is refused
// (CheckOwn), and a sample of the states that were found twice is compared by what comes next (twins).
//
// A search takes all steps out of each state. Ample sets, a part of the steps for all, found 1.3 to 3.0 times fewer
// states in 1.4 to 3.2 times the time, in 19 worlds of the table of proofs: a loop that hands on what it takes from a
// queue conflicts with the one before it, though they commute as long as there is something in the queue. Sleep sets
// found the same states in 0.9 times the time, with the cells of each step in memory. Neither is worth its code.
// Nor is it worth it to count once what differs only in who is who of clients with one plan: 9 worlds of the table of
// proofs have such clients, 1.7 to 2.0 times the states without it, and the largest of them four times the time.
//
// The package imports explore, sim and model. It must never import what is simulated.
package prove
