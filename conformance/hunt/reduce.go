package hunt

import (
	"slices"
	"time"

	"github.com/culink/culink/conformance/generate"
)

// usualReduceTime is the time limit for reducing one difference.
const usualReduceTime = 60 * time.Second

// reduce makes a trial smaller while it still shows a difference of the same class. It removes options, then inputs,
// then parts of the program, the largest first.
func (h *hunter) reduce(t *trial, class string) *trial {
	end := time.Now().Add(h.reduceTime)
	shows := func(c *trial) bool {
		if len(c.order) == 0 || time.Now().After(end) {
			return false
		}
		v, err := h.judge(c)
		return err == nil && v.Class == class
	}
	try := func(edit func(c *trial)) bool {
		c := t.clone()
		edit(c)
		if shows(c) {
			t = c
			return true
		}
		return false
	}
	try(func(c *trial) { c.partial, c.first = nil, nil })
	try(func(c *trial) { c.archive = nil })
	try(func(c *trial) { c.hosts = nil })
	for i := 0; i < len(t.options); {
		if !try(func(c *trial) { c.options = slices.Delete(c.options, i, i+1) }) {
			i++
		}
	}
	for i := 0; i < len(t.first); {
		if !try(func(c *trial) { c.first = slices.Delete(c.first, i, i+1) }) {
			i++
		}
	}
	for i := 0; i < len(t.pool); {
		if !try(func(c *trial) { c.dropMember(i) }) {
			i++
		}
	}
	if t.program == nil {
		return t
	}
	if len(t.pool) > 0 {
		try(func(c *trial) {
			for _, u := range c.program.Units {
				c.drop(u.Name + ".cubin")
			}
			c.program = nil
		})
	}
	for round := 0; round < 3 && t.program != nil; round++ {
		before := t
		for _, level := range generate.Levels() {
			for i := 0; i < t.program.Count(level); {
				if !try(func(c *trial) { c.without(level, i) }) {
					i++
				}
			}
		}
		if t == before {
			break
		}
	}
	return t
}

func (t *trial) clone() *trial {
	c := *t
	c.pool, c.order, c.partial, c.archive = slices.Clone(t.pool), slices.Clone(t.order), slices.Clone(t.partial), slices.Clone(t.archive)
	c.options, c.first = slices.Clone(t.options), slices.Clone(t.first)
	return &c
}

// drop removes a file from the link.
func (t *trial) drop(file string) {
	gone := func(s string) bool { return s == file }
	t.order = slices.DeleteFunc(t.order, gone)
	t.partial = slices.DeleteFunc(t.partial, gone)
	t.archive = slices.DeleteFunc(t.archive, gone)
}

func (t *trial) dropMember(i int) {
	t.drop(t.pool[i].file)
	t.pool = slices.Delete(t.pool, i, i+1)
}

func (t *trial) without(level generate.Level, i int) {
	if level == generate.Units {
		t.drop(t.program.Units[i].Name + ".cubin")
	}
	t.program = t.program.Without(level, i)
}
