package hunt

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// A member is a compiled unit of the pool. Its definitions decide with which other units it can be linked.
type member struct {
	file    string // name in the link: "NAME.cubin"
	data    []byte
	defines []string // global definitions
	needs   []string // undefined
}

// readPool reads the files DIR/NAME.SM.cubin of one architecture, sorted by name.
func readPool(dir string, sm string) ([]*member, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*."+sm+".cubin"))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var pool []*member
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		m := &member{file: strings.TrimSuffix(filepath.Base(path), "."+sm+".cubin") + ".cubin", data: data}
		if err := m.readSymbols(); err != nil {
			return nil, err
		}
		pool = append(pool, m)
	}
	return pool, nil
}

// readSymbols sets what a unit defines and needs.
func (m *member) readSymbols() error {
	f, err := cubin.Open(m.file, m.data)
	if err != nil {
		return err
	}
	symbols, err := f.Symbols()
	if err != nil {
		return err
	}
	for _, y := range symbols {
		switch {
		case y.Index == 0 || y.Type == cubin.SymSection || y.Bind == cubin.BindLocal:
		case !y.Defined() && y.Bind == cubin.BindGlobal:
			m.needs = append(m.needs, y.Name)
		case y.Bind == cubin.BindGlobal && y.Section != cubin.ShnCommon:
			m.defines = append(m.defines, y.Name)
		}
	}
	return nil
}

// draw returns 1 to 7 members of which most can be linked together: it usually omits duplicate definitions and adds
// units that define missing symbols.
func draw(rng *rand.Rand, pool []*member) []*member {
	definer := map[string][]*member{}
	for _, m := range pool {
		for _, name := range m.defines {
			definer[name] = append(definer[name], m)
		}
	}
	strict := rng.IntN(100) < 92
	defined, in := map[string]bool{}, map[*member]bool{}
	var list []*member
	add := func(m *member) {
		if in[m] {
			return
		}
		if strict {
			for _, name := range m.defines {
				if defined[name] {
					return
				}
			}
		}
		in[m] = true
		for _, name := range m.defines {
			defined[name] = true
		}
		list = append(list, m)
	}
	for range 1 + rng.IntN(7) {
		add(pool[rng.IntN(len(pool))])
	}
	if strict || rng.IntN(2) == 0 {
		for i := 0; i < len(list); i++ {
			for _, name := range list[i].needs {
				if all := definer[name]; !defined[name] && len(all) > 0 {
					add(all[rng.IntN(len(all))])
				}
			}
		}
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
