package prove

// Forgetful is a search whose workers begin anew when they keep so many nodes.
func Forgetful(cfg Config, nodes int) Config {
	cfg.nodes = nodes
	return cfg
}
