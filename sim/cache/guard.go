package cache

// consistentReadSupported reports whether the cache may serve reads at a
// revision that it has yet to hear of.
func (c *Cache) consistentReadSupported() bool {
	return c.cfg.Guard.ConsistentListFromCache != GateDisabled
}
