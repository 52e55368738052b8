package protocol

// Version is that of the protocol: of the kinds, and of what the messages of each hold. It rises by one with each
// change of that, in guest or in node, so that a guest that was compiled before the change is refused.
const Version = 1
