// Package idle stores unused resources that are expensive to create, such as processes and folders. A resource serves
// one user at a time.
package idle

import "sync"

// A List holds unused resources. The zero value is empty. Several goroutines may use it.
type List[T any] struct {
	mu   sync.Mutex
	held []T
}

// Take returns the resource that was put last, if there is one.
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

// Put adds a resource that is no longer used.
func (l *List[T]) Put(value T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = append(l.held, value)
}

// Empty removes all resources and calls end with each.
func (l *List[T]) Empty(end func(T)) {
	for value, ok := l.Take(); ok; value, ok = l.Take() {
		end(value)
	}
}
