package input

import (
	"fmt"
	"strings"

	"github.com/culink/culink/fuzz/craft"
)

// archiveSituations returns situations with valid and damaged archives, and with searches for libraries.
func archiveSituations(obj, fb, k90, w80 material) []situation {
	var all []situation
	kobj := material(craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: k90}), "_k"))
	none := craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 80, Payload: w80}), "_none")
	text := []byte(strings.Repeat("text ", 20))
	m := func(name string, data []byte) craft.Member { return craft.Member{Name: name, Data: data} }
	one := func(name string, data []byte) {
		all = append(all,
			situation{name: "archive, " + name, files: []inputFile{{"x.a", data}}},
			situation{name: "archive by -l, " + name, args: "nothing.o -Ld -lx", files: []inputFile{{"nothing.o", nil}, {"d/libx.a", data}}})
	}
	w, k := m("w.o/", obj), m("k.o/", kobj)
	one("two members", craft.Archive(w, k))
	one("the other way round", craft.Archive(k, w))
	one("member twice", craft.Archive(w, w))
	one("symbol table", craft.Archive(m("/", make([]byte, 12)), w, k))
	one("64-bit symbol table", craft.Archive(m("/SYM64/", make([]byte, 12)), w, k))
	one("long names", craft.Archive(m("//", []byte("a_name_of_some_length.o/\nanother_name_of_some_length.o/\n")), m("/0", obj), m("/25", kobj)))
	one("long name in the middle", craft.Archive(m("//", []byte("a_name_of_some_length.o/\n")), m("/2", obj)))
	one("long name past the table", craft.Archive(m("//", []byte("a_name_of_some_length.o/\n")), m("/100", obj)))
	one("long name without end", craft.Archive(m("//", []byte("a_name_of_some_length.o")), m("/0", obj)))
	one("long name without slash", craft.Archive(m("//", []byte("a_name_of_some_length.o\n")), m("/0", obj)))
	one("no table of long names", craft.Archive(w, m("/0", kobj)))
	one("table of long names later", craft.Archive(w, m("//", []byte("a_name_of_some_length.o/\n")), m("/0", kobj)))
	one("two tables of long names", craft.Archive(m("//", []byte("a_name_of_some_length.o/\n")), m("/0", obj), m("//", []byte("b_name_of_some_length.o/\n")), m("/0", kobj)))
	one("name without slash", craft.Archive(w, m("k.o", kobj)))
	one("first name without slash", craft.Archive(m("k.o", kobj), w))
	one("BSD name", craft.Archive(w, m("#1/4", kobj)))
	one("__.SYMDEF", craft.Archive(m("__.SYMDEF/", make([]byte, 60)), w))
	one("empty name", craft.Archive(w, m("", kobj)))
	one("name of blanks", craft.Archive(w, m("a b/", kobj)))
	one("name with a folder", craft.Archive(w, m("a/b.o/", kobj)))
	one("size no number", craft.Archive(w, craft.Member{Name: "k.o/", Data: kobj, Size: "x"}))
	one("size with a letter", craft.Archive(w, craft.Member{Name: "k.o/", Data: kobj, Size: "60x"}))
	one("no size", craft.Archive(w, craft.Member{Name: "k.o/", Data: kobj, Size: " "}))
	one("negative size", craft.Archive(w, craft.Member{Name: "k.o/", Data: kobj, Size: "-5"}))
	one("size past the end", craft.Archive(w, craft.Member{Name: "k.o/", Data: kobj, Size: "999999"}))
	one("first size past the end", craft.Archive(craft.Member{Name: "k.o/", Data: kobj, Size: "999999"}))
	one("size 0", craft.Archive(w, craft.Member{Name: "k.o/", Size: "0"}, k))
	one("text first", craft.Archive(m("t/", text), w))
	one("text in the middle", craft.Archive(w, m("t/", text), k))
	one("short text in the middle", craft.Archive(w, m("t/", []byte("odd")), k))
	one("empty first", craft.Archive(m("t/", nil), w))
	one("empty in the middle", craft.Archive(w, m("t/", nil), k))
	one("archive in the middle", craft.Archive(w, m("t.a/", craft.Archive(w)), k))
	one("fat binary in the middle", craft.Archive(w, m("t.fatbin/", fb), k))
	one("cubin first", craft.Archive(m("c.cubin/", k90), w))
	one("cubin in the middle", craft.Archive(w, m("c.cubin/", k90), k))
	one("only cubins", craft.Archive(m("c.cubin/", k90)))
	one("short ELF in the middle", craft.Archive(w, m("s.o/", obj[:40]), k))
	one("wrong architecture in the middle", craft.Archive(m("n.o/", none), w, m("n.o/", none), k))
	one("only wrong architecture", craft.Archive(m("n.o/", none)))
	one("host code only", craft.Archive(m("h.o/", craft.HostObject()), w))
	one("nothing in it", craft.Archive())
	one("no magic, and short", []byte("!<arcx>\nshort"))
	// If a header is truncated, nvlink reads the memory after it as the rest of the header. That memory
	// is mostly zeros.
	whole := len(all)
	one("header cut", append(craft.Archive(w), "k.o/    "...))
	one("short header", append(craft.Archive(w), "k.o"...))
	one("nothing but a byte of a header", append(craft.Archive(), 'x'))
	one("header cut in its size", append(craft.Archive(w), "k.o/            0           0     0     100644  1"...))
	for i := range all[whole:] {
		all[whole+i].beyond = true
	}
	one("cut in a member", craft.Archive(w, k)[:len(obj)+400])
	one("padding cut", craft.Archive(m("a.o/", append(obj[:len(obj):len(obj)], 0)))[:8+60+len(obj)+1])
	one("damaged member", craft.Archive(w, m("k.o/", kobj.with(u64at(offShOff, 1<<30)))))
	one("no fat binary in a member", craft.Archive(w, m("k.o/", craft.HostObject(craft.Section{Name: ".nvFatBinSegment"}))))
	one("damaged fat binary in a member", craft.Archive(w, m("k.o/", craft.RDC(material(fb).with(u16at(4, 2)), "_k"))))
	one("too new a member", craft.Archive(w, m("k.o/", craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: w80}), "_k"))))
	one("LTOIR in a member", craft.Archive(w, m("k.o/", craft.RDC(craft.Fatbin(craft.Entry{Kind: 8, Arch: 90, Payload: text}), "_k"))))
	one("bad magic", append([]byte("!<arcx>\n"), craft.Archive(w)[8:]...))
	one("thin, members here", craft.Thin(m("w.o/", obj), m("k.o/", kobj)))

	for _, name := range []string{"a/b.o/", "a b/", "m.o/x", "#1/4", "/0", "/2", "/12", "/24", "/30"} {
		one("twice the name "+name, craft.Archive(m("//", []byte("a_name.o/\ndir/b_name.o/\nc_name.o\nd_name.o/")), m(name, obj), m(name, obj)))
	}

	add := func(s situation) { all = append(all, s) }
	wfile, kfile := inputFile{"w.o", obj}, inputFile{"k.o", kobj}
	thin := craft.Thin(w, k)
	add(situation{name: "thin", args: "x.a", files: []inputFile{{"x.a", thin}, wfile, kfile}})
	add(situation{name: "thin, long names", args: "x.a", files: []inputFile{{"x.a", craft.Thin(m("//", []byte("d/a_name_of_some_length.o/\n")), m("/0", obj), k)}, {"d/a_name_of_some_length.o", obj}, kfile}})
	add(situation{name: "thin, in a folder", args: "d/x.a", files: []inputFile{{"d/x.a", thin}, {"d/w.o", obj}, {"d/k.o", kobj}}})
	add(situation{name: "thin, second missing", args: "x.a", files: []inputFile{{"x.a", thin}, wfile}})
	add(situation{name: "thin, by -l, missing", args: "nothing.o -Ld -lx", files: []inputFile{{"nothing.o", nil}, {"d/libx.a", thin}}})
	add(situation{name: "thin, text", args: "x.a", files: []inputFile{{"x.a", thin}, {"w.o", text}, kfile}})
	add(situation{name: "thin, empty file", args: "x.a", files: []inputFile{{"x.a", thin}, wfile, {"k.o", nil}}})
	add(situation{name: "thin, short file", beyond: true, args: "x.a", files: []inputFile{{"x.a", thin}, wfile, {"k.o", kobj[:20]}}})
	add(situation{name: "thin, header cut", args: "x.a", files: []inputFile{{"x.a", append(craft.Thin(w), "k.o"...)}, wfile, kfile}})
	add(situation{name: "thin, header cut behind a name", args: "x.a", files: []inputFile{{"x.a", append(craft.Thin(w), "k.o/ "...)}, wfile, kfile}})
	add(situation{name: "thin, wrong size", args: "x.a", files: []inputFile{{"x.a", craft.Thin(craft.Member{Name: "w.o/", Size: "10"}, craft.Member{Name: "k.o/", Size: "99999"})}, wfile, kfile}})

	ar := craft.Archive(w)
	kar := craft.Archive(k)
	lib := func(name, args string, files ...inputFile) {
		add(situation{name: "library, " + name, args: args, files: append(files, inputFile{"nothing.o", nil})})
	}
	for _, value := range []string{"unknown", "AARCH64", "ARMv7", "PPC64LE", "X86", "X86_64"} {
		for _, machine := range []uint16{0, 3, 21, 40, 62, 183, 243} {
			foreign := material(craft.HostObject()).with(u16at(offMachine, 22))
			lib(fmt.Sprintf("of machine %d for %s", machine, value), "nothing.o -La -Lb -lx -cpu-arch="+value,
				inputFile{"a/libx.a", craft.Archive(m("w.o/", obj.with(u16at(offMachine, machine))))}, inputFile{"b/libx.a", craft.Archive(m("h.o/", foreign), m("c.cubin/", k90), m("k.o/", kobj.with(u16at(offMachine, machine))))})
		}
	}
	lib("not found", "nothing.o -lx")
	lib("not in the current folder", "nothing.o -lx", inputFile{"libx.a", ar})
	lib("in the second folder", "nothing.o -La -Lb -lx", inputFile{"a/y", nil}, inputFile{"b/libx.a", ar})
	lib("in both folders", "nothing.o -La -Lb -lx", inputFile{"a/libx.a", ar}, inputFile{"b/libx.a", kar})
	lib("shared one later", "nothing.o -La -Lb -lx", inputFile{"a/libx.a", ar}, inputFile{"b/libx.so", ar})
	lib("no archive in the first folder", "nothing.o -La -Lb -lx", inputFile{"a/libx.a", text}, inputFile{"b/libx.a", kar})
	lib("short file", "nothing.o -La -Lb -lx", inputFile{"a/libx.a", []byte("short")}, inputFile{"b/libx.a", kar})
	lib("empty file", "nothing.o -La -Lb -lx", inputFile{"a/libx.a", nil}, inputFile{"b/libx.a", kar})
	lib("host object", "nothing.o -La -Lb -lx", inputFile{"a/libx.a", obj}, inputFile{"b/libx.a", kar})
	lib("cubin", "nothing.o -La -Lb -lx", inputFile{"a/libx.a", k90}, inputFile{"b/libx.a", kar})
	lib("empty archive", "nothing.o -La -Lb -lx", inputFile{"a/libx.a", craft.Archive()}, inputFile{"b/libx.a", kar})
	lib("before the inputs", "-La -lx k.o", inputFile{"a/libx.a", ar}, kfile)
	lib("two", "-La -lx -ly nothing.o", inputFile{"a/libx.a", ar}, inputFile{"a/liby.a", kar})
	lib("twice", "-La -lx -lx nothing.o", inputFile{"a/libx.a", ar})
	lib("by path and by -l", "-La -lx a/libx.a nothing.o", inputFile{"a/libx.a", ar})
	lib("a copy", "-La -lx -ly nothing.o", inputFile{"a/libx.a", ar}, inputFile{"a/liby.a", ar})
	lib("by two paths", "a/x.a ./a/x.a a/../a/x.a", inputFile{"a/x.a", ar})
	lib("wrong architecture first", "nothing.o -La -Lb -lx", inputFile{"a/libx.a", craft.Archive(m("n.o/", none))}, inputFile{"b/libx.a", kar})
	lib("folder with a slash", "nothing.o -La/ -lx", inputFile{"a/libx.a", ar})
	lib("-Werror", "-Werror nothing.o -La -Lb -lx", inputFile{"a/libx.a", text}, inputFile{"b/libx.a", kar})
	lib("cudadevrt by -l", "-La -lcudadevrt k.o", inputFile{"a/libcudadevrt.a", ar}, kfile)
	lib("cudadevrt first", "a/libcudadevrt.a k.o", inputFile{"a/libcudadevrt.a", ar}, kfile)
	return all
}
