package reduce

// shrink returns a small list of items that ok accepts (delta debugging). It removes halves of the list, then smaller
// parts, and finally single items. It keeps a removal if ok accepts the rest. ok must accept the whole list. shrink ends as
// soon as isOver returns true.
func shrink[T any](items []T, isOver func() bool, ok func([]T) bool) []T {
	for size := (len(items) + 1) / 2; size > 0 && len(items) > 0; {
		removed := false
		for at := 0; at < len(items); {
			if isOver() {
				return items
			}
			end := min(at+size, len(items))
			rest := append(append(make([]T, 0, len(items)-(end-at)), items[:at]...), items[end:]...)
			if ok(rest) {
				items, removed = rest, true
			} else {
				at = end
			}
		}
		switch {
		case size > 1:
			size = (size + 1) / 2
		case !removed:
			return items
		}
	}
	return items
}
