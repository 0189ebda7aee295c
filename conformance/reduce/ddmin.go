package reduce

// shrink returns a smallest list of items that ok accepts. It removes parts, first halves, then smaller ones, down to
// single items, while ok accepts the rest (delta debugging). It assumes that ok accepts the whole list.
func shrink[T any](items []T, ok func([]T) bool) []T {
	for size := (len(items) + 1) / 2; size > 0 && len(items) > 0; {
		removed := false
		for at := 0; at < len(items); {
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
