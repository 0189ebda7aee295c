package cubintext

import "github.com/culink/culink/linker/cubin"

// A program header is written as: segment TYPE FLAGS [from=SECTION to=SECTION] FIELD=N...

// A segment is a program header. from and to are the sections that it covers.
type segment struct {
	record    record
	statement line
}

var segmentTypes = map[string]uint64{"load": cubin.SegmentLoad, "phdr": cubin.SegmentPHdr}

var segmentFlags = letters{{'R', cubin.SegmentRead}, {'W', cubin.SegmentWrite}, {'X', cubin.SegmentExec}}

func (b *builder) segmentHeaders() error {
	for _, g := range b.f.segments {
		l := g.statement
		ws := l.positional()
		if len(ws) != 2 {
			return l.errorf("segment takes a type and flags")
		}
		typ, ok := segmentTypes[ws[0].text]
		if !ok {
			if typ, ok = parseNumber(ws[0].text); !ok {
				return l.errorAt(ws[0], "segment type expected, not %s", ws[0])
			}
		}
		flags, ok := segmentFlags.number(ws[1].text)
		if !ok || flags>>32 != 0 {
			return l.errorAt(ws[1], "R, W, X or a number expected, not %s", ws[1])
		}
		g.record.put("type", typ)
		g.record.put("flags", flags)
		g.record.given["type"], g.record.given["flags"] = true, true
		if err := b.f.override(l, &g.record, []string{"from", "to"}); err != nil {
			return err
		}
		from, to, err := b.f.covered(l)
		if err != nil {
			return err
		}
		for _, f := range []string{"offset", "filesz", "memsz", "align"} {
			g.record.derive(f, b.f.segmentDefault(g, from, to, f))
		}
	}
	return nil
}

// covered resolves from=SECTION and to=SECTION.
func (f *file) covered(l line) (from, to *section, err error) {
	for _, part := range []struct {
		key string
		s   **section
	}{{"from", &from}, {"to", &to}} {
		w, ok := l.value(part.key)
		if !ok || w.text == "phdrs" && !w.quoted {
			continue
		}
		i, err := f.sectionIndex(l, w)
		if err != nil {
			return nil, nil, err
		}
		if *part.s = f.at(i); *part.s == nil {
			return nil, nil, l.errorAt(w, "no section %s", w)
		}
	}
	return from, to, nil
}

func (p *printer) segment(g *segment) line {
	f := p.f
	typ := number(g.record.get("type"))
	for text, t := range segmentTypes {
		if t == g.record.get("type") {
			typ = bare(text)
		}
	}
	g.statement = line{words: []word{bare("segment"), typ, segmentFlags.word(g.record.get("flags"))}}
	from, to := p.cover(g)
	for _, field := range segmentFields[2:] {
		if v := g.record.get(field.name); v != f.segmentDefault(g, from, to, field.name) {
			g.statement.words = append(g.statement.words, number(v).withKey(field.name))
		}
	}
	return g.statement
}

// cover finds the first and last section of a segment, and adds them to its statement.
func (p *printer) cover(g *segment) (from, to *section) {
	offset, size := g.record.get("offset"), g.record.get("filesz")
	if g.record.get("type") != cubin.SegmentLoad {
		return nil, nil
	}
	if offset == p.f.segmentsAt && size == uint64(len(p.f.segments))*cubin.SegmentHeaderSize {
		g.statement.words = append(g.statement.words, bare("phdrs").withKey("from"))
		return nil, nil
	}
	for _, s := range p.f.sections[min(1, len(p.f.sections)):] {
		if s.record.get("flags")&cubin.FlagAlloc == 0 || s.name == "" || p.f.twice[s.name] {
			continue
		}
		if from == nil && s.record.get("offset") == offset {
			from = s
		}
		if from != nil && endOf(s) == offset+size {
			to = s
			break
		}
	}
	if from == nil || to == nil {
		return nil, nil
	}
	g.statement.words = append(g.statement.words, name(from.name).withKey("from"), name(to.name).withKey("to"))
	return from, to
}

// segmentDefault derives a field of a program header from the sections that it covers.
func (f *file) segmentDefault(g *segment, from, to *section, field string) uint64 {
	ofTable := g.record.get("type") == cubin.SegmentPHdr || from == nil && to == nil && g.statement.covers("phdrs")
	switch field {
	case "offset":
		switch {
		case ofTable:
			return f.segmentsAt
		case from != nil:
			return from.record.get("offset")
		}
	case "filesz":
		switch {
		case ofTable:
			return uint64(len(f.segments)) * cubin.SegmentHeaderSize
		case to != nil:
			return endOf(to) - g.record.get("offset")
		}
	case "memsz":
		return g.record.get("filesz")
	case "align":
		return 8
	}
	return 0
}

// covers reports whether a segment statement contains from=what.
func (l line) covers(what string) bool {
	w, ok := l.value("from")
	return ok && !w.quoted && w.text == what
}
