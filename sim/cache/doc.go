// Package cache is the watch cache.
package cache
