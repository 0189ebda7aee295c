package sound

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/nvinfo"
)

// Attributes are records in which a cubin describes its functions. The output must contain each record of the inputs,
// with the new number of its symbol. Exceptions are records that propagate to kernels (rising.go) and records that the
// linker makes itself.

// A bag counts records by their text.
type bag map[string]int

func (b bag) add(r nvinfo.Record) { b[recordText(r)]++ }

func recordText(r nvinfo.Record) string {
	if r.Format == nvinfo.Sized {
		return fmt.Sprintf("%s %x", r.Code, r.Payload)
	}
	return fmt.Sprintf("%s %#x, %s", r.Code, r.Value, r.Format)
}

// times describes how often a record occurs.
func times(n int, text string) string {
	switch n {
	case 0:
		return "none"
	case 1:
		return text
	}
	return fmt.Sprintf("%d times %s", n, text)
}

// compareBags reports records that are missing from the output and records that it has in addition.
func (c *checker) compareBags(key string, want, got bag) {
	texts := make([]string, 0, len(want)+len(got))
	for text := range want {
		texts = append(texts, text)
	}
	for text := range got {
		if want[text] == 0 {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	replaced := map[string]bool{} // records that are reported as replacements of missing ones
	for _, text := range texts {
		if want[text] == got[text] || replaced[text] {
			continue
		}
		name, _, _ := strings.Cut(text, " ")
		found := times(got[text], text)
		if want[text] == 1 && got[text] == 0 {
			if i := slices.IndexFunc(texts, func(other string) bool {
				return strings.HasPrefix(other, name+" ") && want[other] == 0 && got[other] == 1 && !replaced[other]
			}); i >= 0 {
				found = texts[i]
				replaced[found] = true
			}
		}
		c.report(key+"."+strings.TrimPrefix(name, "EIATTR_"), times(want[text], text), "%s", found)
	}
}

// mapped returns a record of o with the symbol numbers of the output. It returns false if the output lacks a symbol of
// the record.
func (c *checker) mapped(o *object, r nvinfo.Record) (nvinfo.Record, bool) {
	misnamed := c.misnamesHandle(r) || c.misnamesExterns(r)
	return r.MapSymbols(func(i uint32) uint32 {
		if int(i) >= len(o.symbols) || misnamed {
			return 0
		}
		if e := o.entities[i]; e != nil {
			if e.out == nil || r.Code == nvinfo.Externs && e.out.Defined() && !e.isKernel() { // INFO-205
				return 0
			}
			return e.out.Index
		}
		y := &o.symbols[i]
		if y.Type == cubin.SymSection && r.Code != nvinfo.Externs && int(y.Section) < len(o.pieces) {
			return c.sectionSymbol(o.pieces[y.Section])
		}
		return 0
	})
}

// misnamesHandle reports whether r describes a parameter and may contain the number of any symbol (KIT-053).
func (c *checker) misnamesHandle(r nvinfo.Record) bool {
	return c.mercury && c.link.Target.Profile.Merge.MisnamesHandles && r.DescribesParameter()
}

// misnamesExterns reports whether r is a list of externs and may contain the numbers of any kernels and undefined
// symbols (KIT-460).
func (c *checker) misnamesExterns(r nvinfo.Record) bool {
	return c.mercury && c.link.Target.Profile.Merge.MisnamesExterns && r.Code == nvinfo.Externs
}

// sectionSymbol returns the number of the section symbol for the section of the output that corresponds to p, or 0.
func (c *checker) sectionSymbol(p *piece) uint32 {
	var section uint32
	switch bank, inBank := p.section.ConstantBank(); {
	case p.owner == nil:
		section = c.out.byName[p.section.Name]
	case p.owner.out == nil || !p.owner.out.Defined():
		return 0
	case inBank:
		section = c.out.boundTo(p.owner.out.Section, fmt.Sprintf(".nv.constant%d.", bank))
	default:
		section = p.owner.out.Section
	}
	for i := range c.out.symbols {
		if y := &c.out.symbols[i]; y.Type == cubin.SymSection && y.Section == section && section != 0 {
			return y.Index
		}
	}
	return 0
}

// checkAttributes compares the attributes of the output with those of the inputs.
func (c *checker) checkAttributes() {
	c.said, c.anyone = c.gather(cubin.SectionInfo), map[nvinfo.Code][]nvinfo.Record{}
	c.checkModuleAttributes()
	c.checkFunctions("attribute.")
}

// gather returns the attributes of functions in the inputs' sections of a type. If there is a Mercury half and an input
// has several sections of one name, the first one counts for all (MERC-125).
func (c *checker) gather(typ cubin.SectionType) map[*entity][]nvinfo.Record {
	said := map[*entity][]nvinfo.Record{}
	for _, o := range c.program.objects {
		first := map[string]uint32{}
		for i, p := range o.pieces {
			if p.section.Type != typ {
				continue
			}
			speaker, ok := first[p.section.Name]
			if !ok || !c.mercury || c.link.Target.Profile.Merge.OwnAttributes {
				speaker = uint32(i)
				first[p.section.Name] = speaker
			}
			if p.owner != nil && !p.lost {
				said[p.owner] = append(said[p.owner], o.infos[speaker]...)
			}
		}
	}
	if !c.link.Relocatable && c.hasSurface() { // KIT-212
		for e, records := range said {
			said[e] = slices.DeleteFunc(slices.Clone(records), func(r nvinfo.Record) bool { return r.Code == nvinfo.SurfaceQueries })
		}
	}
	if c.mercury && typ == cubin.SectionInfo {
		for e, records := range said {
			said[e] = c.finalizedRecords(e, records)
		}
	}
	if c.mercury && c.link.Target.Profile.Finalizer.RenewsCode {
		for e, records := range said {
			said[e] = nvinfo.WithMercuryISA(records)
		}
	}
	return said
}

// finalizedRecords returns the records of e as the finalizer of the release leaves them. It places those of collective
// instructions (KIT-210), and drops the work-arounds of a later build that it does not know (KIT-036).
func (c *checker) finalizedRecords(e *entity, records []nvinfo.Record) []nvinfo.Record {
	code, info := e.piece(), &c.link.Target.Profile.Info
	if code == nil {
		return records
	}
	left := slices.DeleteFunc(slices.Clone(records), func(r nvinfo.Record) bool { return r.Code == nvinfo.NVSALWorkArounds && !info.TellsWorkArounds })
	for i, r := range left {
		left[i] = codemap.PlaceCollectives(r, code.data, info.NamesWarpSync)
	}
	return left
}

// hasSurface reports whether the output has a surface.
func (c *checker) hasSurface() bool {
	return slices.ContainsFunc(c.out.symbols, func(y cubin.Symbol) bool { return y.Type == cubin.SymSurface })
}

// checkFunctions checks the attributes of each function. prefix begins the keys of findings.
func (c *checker) checkFunctions(prefix string) {
	for _, e := range c.program.entities {
		if e.kind == function && e.out != nil && e.out.Defined() && e.alias == nil {
			c.checkFunctionAttributes(prefix, e)
		}
	}
}

// checkModuleAttributes checks .nv.info.
func (c *checker) checkModuleAttributes() {
	want, got := c.moduleAttributes(), bag{}
	var records []nvinfo.Record
	if i, ok := c.out.byName[".nv.info"]; ok {
		records = c.out.infos[i]
	}
	for _, r := range c.unjoined(records) {
		if r = c.withoutNameless(r); !c.ofKernel(r) && !c.isOfWeakStack(r) {
			got.add(r)
		}
	}
	c.compareBags("attribute", want, got)
	if c.link.Relocatable {
		return
	}
	for _, k := range c.kernels {
		least, most := c.depths(k, c.frames)
		c.checkNumber(k, nvinfo.MinStackSize, least, most, records)
		reach, may := k.reach, k.may
		if c.reconfigures(reach) { // INFO-046
			reach, may = []*entity{k}, []*entity{k}
		}
		c.checkNumber(k, nvinfo.RegCount, registers(reach), registers(may), records)
	}
}

// moduleAttributes returns the records that .nv.info must have because of the inputs. It also stores the frame sizes of
// functions, and those functions whose compiler does not know their stack.
func (c *checker) moduleAttributes() bag {
	want := bag{}
	c.frames, c.unbounded = map[*entity]uint32{}, map[*entity]bool{}
	for _, o := range c.program.objects {
		var inner map[uint32]uint32
		if c.mercury {
			inner = o.innerFrames()
		}
		for i, p := range o.pieces {
			if p.section.Type != cubin.SectionInfo || p.section.Name != ".nv.info" {
				continue
			}
			for _, r := range o.infos[uint32(i)] {
				index, ok := r.Symbol()
				var e *entity
				if ok && int(index) < len(o.symbols) {
					if e = o.entities[index]; e != nil && e.kind == function && e.symbol != &o.symbols[index] && o.symbols[index].Defined() {
						continue
					}
				}
				switch {
				case e == nil:
				case r.Code == nvinfo.FrameSize:
					if own, joined := inner[index]; joined {
						r = r.WithWord(1, own)
					}
					c.frames[e] = r.Word(1)
				case r.Code == nvinfo.MinStackSize && r.Word(1) == unknownStack:
					c.unbounded[e] = true
				}
				if r, ok = c.mapped(o, r); ok && !r.Empty() && !c.ofKernel(r) && c.isDemanded(r) {
					want.add(r)
				}
			}
		}
	}
	var origins []nvinfo.Origin
	for _, o := range c.program.objects {
		origins = append(origins, o.origin)
	}
	if len(origins) > 0 && nvinfo.HasPreV10(origins) {
		want.add(nvinfo.Record{Format: nvinfo.NoValue, Code: nvinfo.HasPreV10Object})
	}
	if most := c.mostMemory(); most > 0 {
		want.add(nvinfo.New(nvinfo.MinCTAMemory, most))
	}
	return want
}

// isDemanded reports whether r, a record in .nv.info of an input, must be in the output.
func (c *checker) isDemanded(r nvinfo.Record) bool {
	switch r.Code {
	case nvinfo.LoadCacheRequest:
		return !c.link.Target.Profile.Info.SharesCachePreference // KIT-018
	case nvinfo.MaxStackSize:
		return c.link.Relocatable && !c.isOfWeakStack(r)
	case nvinfo.MinStackSize:
		return c.link.Relocatable || r.Word(1) != unknownStack // STACK-880
	}
	return !c.joinsMemory(r)
}

// joinsMemory reports whether r is a minimum of shared memory that merges into one record: the largest value becomes the
// value of the whole file (KIT-130).
func (c *checker) joinsMemory(r nvinfo.Record) bool {
	return r.Code == nvinfo.MinCTAMemory && c.link.Target.Profile.Merge.JoinsMinMemory && !c.link.Relocatable
}

// mostMemory returns the largest of the values that joinsMemory describes, over all inputs and functions.
func (c *checker) mostMemory() (most uint32) {
	typ := cubin.SectionInfo
	if c.mercury {
		typ = cubin.SectionMercInfo
	}
	for _, o := range c.program.objects {
		for i, p := range o.pieces {
			for _, r := range o.infos[uint32(i)] {
				if p.section.Type == typ && c.joinsMemory(r) {
					most = max(most, r.Word(0))
				}
			}
		}
	}
	return most
}

// isOfWeakStack reports whether r limits the stack of a symbol that is not a strong function of the output. Some
// releases drop such records or write another symbol number (KIT-051).
func (c *checker) isOfWeakStack(r nvinfo.Record) bool {
	if r.Code != nvinfo.MaxStackSize || !c.mercury || !c.link.Relocatable || !c.link.Target.Profile.Merge.MisnamesStacks {
		return false
	}
	index := r.Word(0)
	return int(index) >= len(c.out.symbols) || c.out.symbols[index].Type != cubin.SymFunc || c.out.symbols[index].Bind != cubin.BindGlobal
}

// ofKernel reports whether r, a record in .nv.info, has the stack size or the register count of a kernel.
func (c *checker) ofKernel(r nvinfo.Record) bool {
	return !c.link.Relocatable && (r.Code == nvinfo.MinStackSize || r.Code == nvinfo.RegCount) && slices.ContainsFunc(c.kernels, func(k *entity) bool { return k.out.Index == r.Word(0) })
}

// checkNumber checks that .nv.info has exactly one record of a code for a kernel. Its value must be within the limits
// least and most.
func (c *checker) checkNumber(k *entity, code nvinfo.Code, least, most uint32, records []nvinfo.Record) {
	key := "attribute." + k.name + "." + nvinfo.Attributes[code].Name
	count := 0
	for _, r := range values(records, code) {
		if r.Word(0) == k.out.Index {
			c.within(key, uint64(least), uint64(r.Word(1)), uint64(most))
			count++
		}
	}
	if count != 1 && !(count == 0 && most == 0 && code == nvinfo.RegCount) {
		c.report(key, "one record", "%d", count)
	}
}

// reconfigures reports whether one of the functions changes its number of registers at run time.
func (c *checker) reconfigures(functions []*entity) bool {
	return slices.ContainsFunc(functions, func(f *entity) bool { return len(values(c.said[f], nvinfo.RegReconfig)) > 0 })
}

// registers returns the largest register count of the functions.
func registers(functions []*entity) uint32 {
	var most uint32
	for _, f := range functions {
		if f.outer() == nil { // STACK-770
			most = max(most, f.regs)
		}
	}
	return most
}

// infosOf returns the attributes of function e in the output, from the half that is being checked.
func (c *checker) infosOf(e *entity) []nvinfo.Record {
	if !c.inner {
		return c.out.infos[c.out.boundTo(e.out.Section, ".nv.info.")]
	}
	return c.out.infos[c.out.boundTo(c.out.copyOf(e.out.Section), ".nv.merc.nv.info.")]
}

// checkFunctionAttributes checks the section .nv.info.<function>.
func (c *checker) checkFunctionAttributes(prefix string, e *entity) {
	want, got := bag{}, bag{}
	for _, r := range c.said[e] {
		if r, ok := c.mapped(e.object, r); ok && !r.Empty() && !c.rises(r) && !c.joinsMemory(r) {
			want.add(r)
		}
	}
	records := c.infosOf(e)
	for _, r := range records {
		switch {
		case c.misnamesExterns(r):
			continue
		case c.misnamesHandle(r):
			r = r.WithWord(0, 0)
		}
		if r = c.withoutNameless(r); !c.rises(r) && !c.ofSlots(e, r) && !c.ofFinalizer(e, r) {
			got.add(r)
		}
	}
	key := prefix + e.name
	c.compareBags(key, want, got)
	for code := range nvinfo.Attributes {
		if r := (nvinfo.Record{Code: nvinfo.Code(code)}); c.rises(r) && !c.misnamesExterns(r) {
			c.checkRising(key, e, nvinfo.Code(code), c.saysOut(e, nvinfo.Code(code), records))
		}
	}
}

// saysOut returns the records of a code for function e in the output. The number of barriers may be in the flags of the
// code section instead: in releases before 13.0 (KIT-026), and in later ones if an old object is among the inputs
// (INFO-025).
func (c *checker) saysOut(e *entity, code nvinfo.Code, records []nvinfo.Record) []nvinfo.Record {
	list := values(records, code)
	if code == nvinfo.NumBarriers {
		list = append(list, barriers(&c.out.file.Sections[e.out.Section])...)
	}
	return list
}

// withoutNameless returns a record of the output in which 0 replaces the number of the nameless function. Linkers before
// 13.0 add this function (KIT-075).
func (c *checker) withoutNameless(r nvinfo.Record) nvinfo.Record {
	if !c.link.Target.Profile.Merge.AddsNameless {
		return r
	}
	r, _ = r.MapSymbols(func(i uint32) uint32 {
		if int(i) < len(c.out.symbols) && c.isNameless(&c.out.symbols[i]) {
			return 0
		}
		return i
	})
	return r
}

// isNameless reports whether a symbol of the output is the nameless function that linkers before 13.0 add. If an input
// has an empty prototype, the function may have the name of something else (KIT-172).
func (c *checker) isNameless(y *cubin.Symbol) bool {
	return c.link.Target.Profile.Merge.AddsNameless && y.Type == cubin.SymFunc && y.Bind == cubin.BindLocal && y.Section == 0 && y.Size == 0 &&
		(y.Name == "" || c.program.hasEmptyPrototype())
}

// hasEmptyPrototype reports whether an input takes the address of a function with an empty prototype, or calls one
// through a pointer.
func (p *program) hasEmptyPrototype() bool {
	return slices.ContainsFunc(p.entities, func(e *entity) bool {
		return e.takenAs != nil && *e.takenAs == "" || slices.Contains(e.via, "")
	})
}

// ofSlots reports whether r tells a finalizer that bank 0 contains the handles of textures and surfaces of e. The linker
// adds such a record itself.
func (c *checker) ofSlots(e *entity, r nvinfo.Record) bool {
	return c.mercury && e.isKernel() && (r.Code == nvinfo.BindlessTextures || r.Code == nvinfo.BindlessSurfaces) &&
		r.Format == nvinfo.Byte && r.Value == 0 && len(values(c.said[e], r.Code)) == 0
}

// ofFinalizer reports whether r is a record about the code of e that the finalizer of a later release adds (KIT-036,
// KIT-037, KIT-420).
func (c *checker) ofFinalizer(e *entity, r nvinfo.Record) bool {
	kit := c.link.Target.Profile
	if e.object == nil || !e.object.hasMercury() || c.inner || len(values(c.said[e], r.Code)) > 0 {
		return false
	}
	switch r.Code {
	case nvinfo.NVSALWorkArounds:
		return kit.Info.TellsWorkArounds && r.Format == nvinfo.Half && r.Value == 1
	case nvinfo.PreexitUsed:
		used := uint16(0)
		if p := e.piece(); p != nil && mercury.LetsNextStart(p.data) {
			used = 1
		}
		return kit.Info.TellsPreexit && r.Format == nvinfo.Byte && r.Value == used
	case nvinfo.FinalizerUnnamed:
		return c.link.Target.Adds67() && !c.link.Relocatable && r.Format == nvinfo.Byte && r.Value == 0
	}
	return false
}

// values returns the records with a code.
func values(records []nvinfo.Record, code nvinfo.Code) []nvinfo.Record {
	var list []nvinfo.Record
	for _, r := range records {
		if r.Code == code {
			list = append(list, r)
		}
	}
	return list
}
