package layout

// listSort orders a list as nvlink's merge sort of linked lists does (LAYOUT-001).
//
// The sort is deterministic but not stable, and the order of equal elements decides where objects
// are placed. It adds the elements in turn to the front of two lists, which reverses both. It sorts
// each list, and then merges them. Of equal elements the merge takes the one of the second list.
// This was observed on all lists of equal keys of length 2 to 12, and on every layout of shared
// memory and textures since.
func listSort[T any](list []T, less func(a, b T) bool) []T {
	if len(list) < 2 {
		return list
	}
	first := make([]T, 0, (len(list)+1)/2)
	second := make([]T, 0, len(list)/2)
	for i := len(list) - 1; i >= 0; i-- {
		if i%2 == 0 {
			first = append(first, list[i])
		} else {
			second = append(second, list[i])
		}
	}
	first, second = listSort(first, less), listSort(second, less)
	sorted := make([]T, 0, len(list))
	for len(first) > 0 && len(second) > 0 {
		if less(first[0], second[0]) {
			sorted, first = append(sorted, first[0]), first[1:]
		} else {
			sorted, second = append(sorted, second[0]), second[1:]
		}
	}
	sorted = append(sorted, first...)
	return append(sorted, second...)
}
