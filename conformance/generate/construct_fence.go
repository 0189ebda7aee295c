package generate

import (
	"fmt"
	"strings"
)

// Fences order memory accesses. From sm_100 on, the compiler inserts workarounds before fences, and the linker removes
// them from kernels without calls (MERC-110 to MERC-116). This shortens the code, so every address in it changes.

// A fence is an instruction that orders memory accesses. from and version are the first architecture and the first PTX
// version that support it.
type fence struct {
	from, version int
	text          string
}

var fences = []fence{
	{0, 0, "membar.cta"},
	{0, 0, "membar.gl"},
	{0, 0, "membar.sys"},
	{70, 0, "fence.sc.cta"},
	{70, 0, "fence.sc.gpu"},
	{70, 0, "fence.sc.sys"},
	{70, 0, "fence.acq_rel.cta"},
	{70, 0, "fence.acq_rel.gpu"},
	{70, 0, "fence.acq_rel.sys"},
	{70, 0, "ld.acquire.gpu.global.u32 y, [p]"},
	{70, 0, "st.release.sys.global.u32 [p], x"},
	{70, 0, "atom.acq_rel.gpu.global.add.u32 y, [p], x"},
	{70, 0, "red.release.gpu.global.add.u32 [p], x"},
	{90, 0, "fence.sc.cluster"},
	{90, 0, "fence.acq_rel.cluster"},
	{90, 80, "fence.proxy.async"},
	{90, 0, "fence.proxy.alias"},
	{90, 80, "fence.mbarrier_init.release.cluster"},
}

// makeFence accesses memory around one to three fences. Some fences are predicated, in a branch, or in a loop.
func makeFence(m *maker) (Statement, bool) {
	var b strings.Builder
	fmt.Fprintf(&b, "    .reg .u32 y, i;\n    .reg .pred c;\n    mov.u32 y, 1;\n    mov.u32 i, 0;\n    setp.gt.u32 c, x, %d;\n", m.rng.IntN(50))
	if m.chance(50) {
		fmt.Fprintf(&b, "    .shared .align 4 .b8 %s[64];\n    st.shared.u32 [%[1]s+4], x;\n", m.name("fenced"))
	}
	if m.cfg.SM >= 80 && m.chance(10) { // copies keep the work-around
		fmt.Fprintf(&b, "    .shared .align 4 .b8 %s[64];\n    cp.async.ca.shared.global [%[1]s], [p], 4;\n    cp.async.wait_all;\n", m.name("copied"))
	}
	loop, branch := m.chance(25), m.chance(25)
	if loop {
		b.WriteString("  again:\n")
	}
	if branch {
		b.WriteString("    @c bra over;\n")
	}
	for range 1 + m.rng.IntN(3) {
		if m.chance(70) {
			fmt.Fprintf(&b, "    st.global.u32 [p+%d], x;\n", 4*m.rng.IntN(20))
		}
		guard := ""
		if m.chance(20) {
			guard = m.pick("@c ", "@!c ")
		}
		fmt.Fprintf(&b, "    %s%s;\n    add.u32 x, x, y;\n", guard, m.fence())
		if m.chance(50) {
			fmt.Fprintf(&b, "    ld.global.u32 y, [p+%d];\n    add.u32 x, x, y;\n", 4*m.rng.IntN(20))
		}
	}
	if branch {
		b.WriteString("  over:\n")
	}
	if loop {
		b.WriteString("    add.u32 i, i, 1;\n    setp.lt.u32 c, i, x;\n    @c bra again;\n")
	}
	return Statement{Text: b.String()}, true
}

// fence returns the text of a fence that the architecture supports.
func (m *maker) fence() string {
	for {
		if f := fences[m.rng.IntN(len(fences))]; m.cfg.SM >= f.from && m.cfg.Version >= f.version {
			return f.text
		}
	}
}
