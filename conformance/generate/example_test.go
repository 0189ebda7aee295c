package generate_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/culink/culink/conformance/generate"
)

// The same seed makes the same program. A program without one of its parts is a program too.
func ExampleRandom() {
	again := func() *generate.Program {
		return generate.Random(rand.New(rand.NewPCG(1, 2)), generate.Config{SM: 90, MaxUnits: 3})
	}
	p, q := again(), again()
	text := p.PTX(p.Units[0])
	fmt.Println(strings.Contains(text, ".target sm_90"), text == q.PTX(q.Units[0]))
	smaller := p.Without(generate.Statements, 0)
	fmt.Println(p.Count(generate.Statements) - smaller.Count(generate.Statements))
	// Output:
	// true true
	// 1
}
