// Package idle keeps what is dear to make and serves one user at a time, such as processes and folders, between
// its users.
package idle

import "sync"

// A List holds what nobody uses. The zero value is empty. It may be used by several goroutines.
type List[T any] struct {
	mu   sync.Mutex
	held []T
}

// Take returns what was put last, if there is any.
func (l *List[T]) Take() (value T, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.held)
	if n == 0 {
		return value, false
	}
	value = l.held[n-1]
	l.held = l.held[:n-1]
	return value, true
}

// Put adds what nobody uses any more.
func (l *List[T]) Put(value T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = append(l.held, value)
}

// Empty takes all out, and calls end with each.
func (l *List[T]) Empty(end func(T)) {
	for value, ok := l.Take(); ok; value, ok = l.Take() {
		end(value)
	}
}
