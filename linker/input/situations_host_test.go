package input

import (
	"fmt"

	"github.com/culink/culink/fuzz/craft"
)

// hostSituations returns situations with host objects that have unusual sections and headers.
func hostSituations(obj, fb, k90, exec90 material) []situation {
	var all []situation
	one := func(name string, data []byte) {
		all = append(all, situation{name: "host object, " + name, files: []inputFile{{"x.o", data}}})
	}
	relfat := craft.Section{Name: "__nv_relfatbin", Data: fb}
	segment := craft.Section{Name: ".nvFatBinSegment", Data: make([]byte, 24)}
	id := craft.Section{Name: "__nv_module_id", Data: []byte("_w\x00")}
	text := craft.Section{Name: ".text", Data: make([]byte, 16)}

	one("no device code", craft.HostObject(text))
	one("no segment", craft.HostObject(relfat, id))
	one("no fat binary", craft.HostObject(segment, id))
	one("whole program", craft.HostObject(segment, craft.Section{Name: ".nv_fatbin", Data: fb}, id))
	one("whole program and relocatable", craft.HostObject(segment, craft.Section{Name: ".nv_fatbin", Data: fb}, relfat, id))
	one("no module id", craft.HostObject(relfat, segment))
	one("two module ids", craft.HostObject(relfat, segment, craft.Section{Name: "__nv_module_id", Data: []byte("_a\x00_b\x00")}))
	one("module id without end", craft.HostObject(relfat, segment, craft.Section{Name: "__nv_module_id", Data: []byte("_a")}))
	one("empty module id section", craft.HostObject(relfat, segment, craft.Section{Name: "__nv_module_id"}))
	one("two fat binaries", craft.HostObject(relfat, segment, id, craft.Section{Name: "__nv_relfatbin", Data: craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: k90})}))
	one("empty fat binary section", craft.HostObject(craft.Section{Name: "__nv_relfatbin"}, segment, id))
	for _, h := range []struct {
		name    string
		patches []patch
	}{
		{"no magic", []patch{u8at(1, 0)}},
		{"class 1", []patch{u8at(offClass, 1)}},
		{"big endian", []patch{u8at(offEncoding, 2)}},
		{"OSABI 3", []patch{u8at(offOSABI, 3)}},
		{"type 0", []patch{u16at(offType, 0)}},
		{"executable", []patch{u16at(offType, 2)}},
		{"shared object", []patch{u16at(offType, 3)}},
		{"shared object, class 1", []patch{u16at(offType, 3), u8at(offClass, 1)}},
		{"machine AArch64", []patch{u16at(offMachine, 183)}},
		{"machine CUDA", []patch{u16at(offMachine, 190)}},
		{"no section table", []patch{u64at(offShOff, 0)}},
		{"section table outside", []patch{u64at(offShOff, 1<<30)}},
		{"section headers of 63 bytes", []patch{u16at(offShEntSize, 63)}},
		{"no sections", []patch{u16at(offShNum, 0)}},
		{"too many sections", []patch{u16at(offShNum, 1000)}},
		{"no name table", []patch{u16at(offShStrNdx, 0)}},
		{"name table of another type", []patch{u32at(len(obj)-64+4, 1)}},
		{"name table outside", []patch{u16at(offShStrNdx, 999)}},
		{"program header", []patch{u16at(offPhNum, 1)}},
	} {
		one(h.name, obj.with(h.patches...))
		all = append(all, situation{name: "library file, " + h.name, files: []inputFile{{"x.a", obj.with(h.patches...)}}},
			situation{name: "member, " + h.name, files: []inputFile{{"x.a", craft.Archive(craft.Member{Name: "m.o/", Data: obj.with(h.patches...)}, craft.Member{Name: "n.o/", Data: craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: k90}), "_k")})}}})
	}
	narrow := material(craft.Narrow(obj))
	for _, h := range []struct {
		name    string
		patches []patch
	}{
		{"as it is", nil},
		{"class 0", []patch{u8at(offClass, 0)}},
		{"class 3", []patch{u8at(offClass, 3)}},
		{"big endian", []patch{u8at(offEncoding, 2)}},
		{"machine X86", []patch{u16at(offMachine, 3)}},
		{"machine CUDA", []patch{u16at(offMachine, 190)}},
		{"executable", []patch{u16at(offType, 2)}},
		{"shared object", []patch{u16at(offType, 3)}},
		{"section headers of 64 bytes", []patch{u16at(46, 64)}},
		{"no sections", []patch{u16at(48, 0)}},
		{"name table outside", []patch{u16at(50, 999)}},
		{"program header", []patch{u16at(44, 1)}},
		{"program header inside", []patch{u16at(44, 1), u16at(42, 32)}},
	} {
		data := narrow.with(h.patches...)
		one("32 bits, "+h.name, data)
		all = append(all, situation{name: "cubin of 32 bits, " + h.name, files: []inputFile{{"x.cubin", data}}},
			situation{name: "member of 32 bits, " + h.name, files: []inputFile{{"x.a", craft.Archive(craft.Member{Name: "m.o/", Data: data})}}})
	}
	one("32 bits, no device code", craft.Narrow(craft.HostObject(text)))
	one("32 bits, no fat binary", craft.Narrow(craft.HostObject(segment, id)))
	for _, t := range []uint16{0, 3, 4} {
		one(fmt.Sprintf("machine CUDA, type %d", t), obj.with(u16at(offMachine, 190), u16at(offType, t)))
	}
	all = append(all,
		situation{name: "host object without code for the target", arch: "sm_80", files: []inputFile{{"x.o", obj}}},
		situation{name: "host object without code for the target, -suppress-arch-warning", arch: "sm_80", args: "-suppress-arch-warning x.o", files: []inputFile{{"x.o", obj}}},
		situation{name: "host object without code for the target, -Werror", arch: "sm_80", args: "-Werror x.o nosuch.o", files: []inputFile{{"x.o", obj}}},
		situation{name: "same object twice", args: "x.o x.o", files: []inputFile{{"x.o", obj}}},
		situation{name: "host object and cubin", files: []inputFile{{"x.o", obj}, {"k.cubin", k90}, {"e.cubin", exec90}}},
	)
	bad := craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: k90, Compress: "lz4"})
	copy(bad[200:], "damage")
	all = append(all, situation{name: "host object after one that does not decode", files: []inputFile{{"bad.o", craft.RDC(bad, "_bad")}, {"x.o", obj}}})
	return all
}
