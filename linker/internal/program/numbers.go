package program

// Numbers returns the numbers of all symbols by ID, for traces.
func (m *Program) Numbers() []int {
	numbers := make([]int, m.NumSymbols+1)
	for i, y := range m.Locals {
		numbers[y.ID] = i + 1
	}
	for i, y := range m.Globals {
		numbers[y.ID] = -i - 1
	}
	return numbers
}
