package guests

import "strings"

// atLocks is what the name of a guest ends with whose goroutines give way at locks (sync.Mutex, sync.RWMutex), too.
const atLocks = ":locks"

// Scheduled takes apart the name of a guest and whether its goroutines give way at locks: kubernetes@v0.37.2:locks.
func Scheduled(name string) (guest string, locks bool) { return strings.CutSuffix(name, atLocks) }

// Odd takes apart the name of a guest without its :locks that has another colon, as those of no guests have.
func Odd(guest string) (plain string, odd bool) {
	plain, _, odd = strings.Cut(guest, ":")
	return plain, odd
}
