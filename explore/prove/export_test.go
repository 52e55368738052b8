package prove

// Weak is a search whose keys have so few bits of the first half of a fingerprint that
// different states have the same.
func Weak(cfg Config, bits int) Config {
	cfg.weak = bits
	return cfg
}

// Forgetful is a search whose workers begin anew when they keep so many nodes.
func Forgetful(cfg Config, nodes int) Config {
	cfg.nodes = nodes
	return cfg
}
