package kernels

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A kernelWriter writes a kernel of random statements in PTX. The kernel computes nothing useful. Its
// purpose is to make the assembler combine instructions of all kinds.
type kernelWriter struct {
	*rand.Rand
	strings.Builder
	sm     int
	labels int
	recent map[byte]int // the last register of each kind
}

// Number of registers of each kind that statements use.
const (
	words     = 8 // %r, 32 bits
	longs     = 3 // %l, 64 bits
	floats    = 4 // %f
	doubles   = 2 // %d
	halves    = 4 // %h, two halves
	booleans  = 3 // %p
	uniforms  = 4 // %k, 32 bits, the same in all threads
	maxDepth  = 3
	constants = 64 // words of constant memory
)

// register returns the number of one of n registers of a kind. Often it is the last one again. Consecutive
// instructions then depend on each other, and show how soon they may follow.
func (k *kernelWriter) register(kind byte, n int) int {
	if k.IntN(2) > 0 {
		k.recent[kind] = k.IntN(n)
	}
	return k.recent[kind]
}

// operands replaces $w, $l, $f, $d, $h, $p, $k with random registers, and $i with a small number.
func (k *kernelWriter) operands(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch text[i] {
		case 'w':
			fmt.Fprintf(&b, "%%r%d", k.register(text[i], words))
		case 'l':
			fmt.Fprintf(&b, "%%l%d", k.register(text[i], longs))
		case 'f':
			fmt.Fprintf(&b, "%%f%d", k.register(text[i], floats))
		case 'd':
			fmt.Fprintf(&b, "%%d%d", k.register(text[i], doubles))
		case 'h':
			fmt.Fprintf(&b, "%%h%d", k.register(text[i], halves))
		case 'p':
			fmt.Fprintf(&b, "%%p%d", k.register(text[i], booleans))
		case 'k':
			fmt.Fprintf(&b, "%%k%d", k.register(text[i], uniforms))
		case 'i':
			fmt.Fprint(&b, 1+k.IntN(30))
		case 'o':
			fmt.Fprint(&b, 16*k.IntN(16))
		case 'c':
			b.WriteString([]string{"lt", "le", "gt", "ge", "eq", "ne"}[k.IntN(6)])
		}
	}
	return b.String()
}

// A statement is a line of PTX, with its relative frequency and the first SM that has it.
type statement struct {
	weight, since int
	text          string
}

// address computes a valid address in global, shared or local memory into %a.
const address = "and.b32 %t, $w, 1008; cvt.u64.u32 %u, %t; add.s64 %a, %g, %u; "

var statements = []statement{
	{6, 0, "add.s32 $w, $w, $w;"}, {3, 0, "sub.s32 $w, $w, $i;"}, {4, 0, "mad.lo.s32 $w, $w, $w, $w;"},
	{2, 0, "mul.lo.s32 $w, $w, $w;"}, {2, 0, "mul.hi.u32 $w, $w, $w;"}, {2, 0, "mad.wide.u32 $l, $w, $w, $l;"}, {2, 0, "mul.wide.s32 $l, $w, $w;"},
	{3, 0, "and.b32 $w, $w, $w;"}, {2, 0, "xor.b32 $w, $w, $i;"}, {2, 0, "lop3.b32 $w, $w, $w, $w, 0x96;"},
	{2, 0, "shl.b32 $w, $w, $i;"}, {2, 0, "shr.s32 $w, $w, $w;"}, {2, 0, "shf.l.wrap.b32 $w, $w, $w, $w;"}, {2, 0, "prmt.b32 $w, $w, $w, $w;"},
	{2, 0, "min.s32 $w, $w, $w;"}, {1, 0, "max.u32 $w, $w, $w;"}, {1, 0, "abs.s32 $w, $w;"}, {1, 0, "sad.s32 $w, $w, $w, $w;"},
	{2, 0, "bfe.u32 $w, $w, $i, $i;"}, {2, 0, "bfi.b32 $w, $w, $w, $i, $i;"}, {2, 0, "popc.b32 $w, $w;"}, {2, 0, "clz.b32 $w, $w;"}, {2, 0, "brev.b32 $w, $w;"}, {1, 0, "bfind.u32 $w, $w;"}, {1, 0, "bmsk.clamp.b32 $w, $w, $i;"}, {1, 0, "szext.wrap.s32 $w, $w, $i;"},
	{1, 0, "dp4a.s32.s32 $w, $w, $w, $w;"}, {1, 0, "dp2a.lo.s32.s32 $w, $w, $w, $w;"}, {1, 0, "vadd2.s32.s32.s32 $w, $w, $w, $w;"},
	{1, 0, "div.s32 $w, $w, $w;"}, {1, 0, "rem.u32 $w, $w, $w;"}, {1, 0, "div.u32 $w, $w, $i;"},
	{3, 0, "add.s64 $l, $l, $l;"}, {2, 0, "mul.lo.s64 $l, $l, $l;"}, {2, 0, "shl.b64 $l, $l, $i;"}, {1, 0, "shr.u64 $l, $l, $w;"}, {1, 0, "xor.b64 $l, $l, $l;"}, {1, 0, "min.s64 $l, $l, $l;"},
	{1, 0, "popc.b64 $w, $l;"}, {1, 0, "clz.b64 $w, $l;"}, {1, 0, "cvt.u32.u64 $w, $l;"}, {1, 0, "cvt.s64.s32 $l, $w;"}, {1, 0, "mov.b64 $l, {$w, $w};"}, {1, 0, "mov.b64 {$w, $w}, $l;"},
	{6, 0, "fma.rn.f32 $f, $f, $f, $f;"}, {4, 0, "add.f32 $f, $f, $f;"}, {3, 0, "mul.f32 $f, $f, $f;"}, {2, 0, "min.f32 $f, $f, $f;"}, {1, 0, "abs.f32 $f, $f;"}, {1, 0, "neg.f32 $f, $f;"},
	{1, 0, "rcp.approx.f32 $f, $f;"}, {1, 0, "sqrt.approx.f32 $f, $f;"}, {1, 0, "sin.approx.f32 $f, $f;"}, {1, 0, "ex2.approx.f32 $f, $f;"}, {1, 0, "lg2.approx.f32 $f, $f;"}, {1, 0, "rsqrt.approx.f32 $f, $f;"}, {1, 75, "tanh.approx.f32 $f, $f;"}, {1, 0, "div.rn.f32 $f, $f, $f;"}, {1, 0, "sqrt.rn.f32 $f, $f;"},
	{1, 0, "cvt.rni.s32.f32 $w, $f;"}, {1, 0, "cvt.rn.f32.s32 $f, $w;"}, {1, 0, "cvt.rn.f32.u64 $f, $l;"}, {1, 0, "cvt.rzi.s64.f32 $l, $f;"}, {1, 0, "cvt.rpi.f32.f32 $f, $f;"}, {1, 0, "cvt.f64.f32 $d, $f;"}, {1, 0, "cvt.rn.f32.f64 $f, $d;"},
	{1, 0, "cvt.rn.f64.s32 $d, $w;"}, {1, 0, "cvt.rzi.s32.f64 $w, $d;"}, {1, 0, "cvt.rn.f64.s64 $d, $l;"}, {1, 0, "cvt.rzi.u64.f64 $l, $d;"},
	{2, 0, "fma.rn.f64 $d, $d, $d, $d;"}, {2, 0, "add.f64 $d, $d, $d;"}, {1, 0, "mul.f64 $d, $d, $d;"}, {1, 0, "min.f64 $d, $d, $d;"}, {1, 0, "div.rn.f64 $d, $d, $d;"}, {1, 0, "setp.$c.f64 $p, $d, $d;"}, {1, 0, "rcp.approx.ftz.f64 $d, $d;"},
	{2, 0, "fma.rn.f16x2 $h, $h, $h, $h;"}, {1, 0, "add.f16x2 $h, $h, $h;"}, {1, 0, "mul.f16x2 $h, $h, $h;"}, {1, 80, "min.f16x2 $h, $h, $h;"}, {1, 80, "fma.rn.bf16x2 $h, $h, $h, $h;"}, {1, 80, "cvt.rn.f16x2.f32 $h, $f, $f;"}, {1, 80, "cvt.rn.bf16x2.f32 $h, $f, $f;"}, {1, 0, "set.gt.f16x2.f16x2 $h, $h, $h;"}, {1, 75, "ex2.approx.f16x2 $h, $h;"}, {1, 0, "mov.b32 $w, $h;"}, {1, 0, "mov.b32 $h, $w;"}, {1, 0, "mov.b32 $f, $w;"}, {1, 0, "mov.b32 $w, $f;"}, {1, 0, "mov.b64 $d, $l;"}, {1, 0, "mov.b64 $l, $d;"},
	{4, 0, "setp.$c.s32 $p, $w, $w;"}, {2, 0, "setp.$c.f32 $p, $f, $f;"}, {2, 0, "setp.$c.u64 $p, $l, $l;"}, {2, 0, "setp.$c.and.s32 $p, $w, $w, $p;"}, {1, 0, "and.pred $p, $p, $p;"}, {1, 0, "xor.pred $p, $p, $p;"}, {1, 0, "not.pred $p, $p;"},
	{3, 0, "selp.b32 $w, $w, $w, $p;"}, {2, 0, "selp.f32 $f, $f, $f, $p;"}, {1, 0, "selp.b64 $l, $l, $l, $p;"}, {2, 0, "@$p add.s32 $w, $w, $i;"}, {2, 0, "@!$p mul.f32 $f, $f, $f;"}, {1, 0, "@$p mov.b32 $w, $w;"},
	{4, 0, address + "ld.global.u32 $w, [%a+$o];"}, {2, 0, address + "ld.global.f32 $f, [%a+$o];"}, {2, 0, address + "ld.global.f64 $d, [%a+$o];"}, {1, 0, address + "ld.global.v4.u32 {$w, %r1, %r2, %r3}, [%a+$o];"}, {1, 0, address + "ld.global.u8 $w, [%a+$o];"}, {1, 0, address + "ld.volatile.global.u64 $l, [%a+$o];"}, {1, 0, address + "@$p ld.global.u32 $w, [%a+$o];"},
	{3, 0, address + "st.global.u32 [%a+$o], $w;"}, {1, 0, address + "st.global.v2.f32 [%a+$o], {$f, $f};"}, {1, 0, address + "st.global.f64 [%a+$o], $d;"}, {1, 0, address + "@$p st.global.u16 [%a+$o], $w;"}, {1, 0, address + "st.global.v4.u32 [%a+$o], {$w, $w, $w, $w};"},
	{1, 0, address + "atom.global.add.u32 $w, [%a+$o], $w;"}, {1, 0, address + "red.global.add.u32 [%a+$o], $w;"}, {1, 0, address + "atom.global.cas.b32 $w, [%a+$o], $w, $w;"}, {1, 0, address + "atom.global.exch.b64 $l, [%a+$o], $l;"}, {1, 0, address + "red.global.add.f32 [%a+$o], $f;"},
	{3, 0, "and.b32 %t, $w, 1008; ld.shared.u32 $w, [%t+$o];"}, {2, 0, "and.b32 %t, $w, 1008; st.shared.u32 [%t+$o], $w;"}, {1, 0, "and.b32 %t, $w, 1008; ld.shared.v4.f32 {$f, %f1, %f2, %f3}, [%t+$o];"}, {1, 0, "and.b32 %t, $w, 1008; st.shared.f64 [%t+$o], $d;"}, {1, 0, "and.b32 %t, $w, 1008; atom.shared.add.u32 $w, [%t], $w;"}, {1, 0, "and.b32 %t, $w, 1008; atom.shared.cas.b32 $w, [%t], $w, $w;"},
	{1, 0, "and.b32 %t, $w, 248; ld.const.u32 $w, [bank+8];"}, {1, 0, "and.b32 %t, $w, 252; mov.u32 %s, bank; add.s32 %t, %t, %s; ld.const.u32 $w, [%t];"}, {1, 0, "and.b32 %t, $w, 60; mov.u32 %s, stack; add.s32 %t, %t, %s; st.local.u32 [%t], $w;"}, {1, 0, "and.b32 %t, $w, 60; mov.u32 %s, stack; add.s32 %t, %t, %s; ld.local.u32 $w, [%t];"},
	{2, 0, "shfl.sync.bfly.b32 $w|$p, $w, $i, 31, -1;"}, {1, 0, "shfl.sync.idx.b32 $w, $w, $w, $w, -1;"}, {1, 0, "vote.sync.ballot.b32 $w, $p, -1;"}, {1, 0, "vote.sync.any.pred $p, $p, -1;"}, {1, 75, "match.any.sync.b32 $w, $w, -1;"}, {1, 80, "redux.sync.add.s32 $w, $w, -1;"}, {1, 0, "activemask.b32 $w;"}, {1, 0, "bar.sync 0;"}, {1, 0, "bar.red.popc.u32 $w, 0, $p;"}, {1, 0, "membar.gl;"}, {1, 0, "fence.acq_rel.cta;"}, {1, 0, "bar.warp.sync -1;"},
	{1, 0, "mov.u32 %t, %ctaid.x; mov.u32 %s, %ntid.x; mul.lo.s32 %t, %t, %s; add.s32 $w, $w, %t;"}, {1, 0, "mov.u32 %t, %ctaid.z; mov.u32 %s, %nctaid.z; mad.lo.s32 $w, %t, %s, $w;"}, {1, 0, "mov.u32 %t, %ctaid.x; ld.param.u32 %s, [n]; mad.lo.s32 %t, %t, %s, %s; mov.u32 $w, %t;"}, {1, 0, "mov.u32 %t, %ctaid.y; mul.wide.u32 %u, %t, 4; add.s64 %a, %g, %u; ld.global.u32 $w, [%a];"}, {1, 0, "ld.param.u32 %t, [n]; mov.u32 %s, %tid.x; mad.wide.u32 $l, %t, 4, $l; mad.wide.s32 $l, %s, 8, %g;"}, {1, 0, "cvt.u64.u32 %u, $w; mad.wide.u32 $l, $w, $i, %u;"},
	{1, 0, "mov.u32 $w, %tid.x;"}, {1, 0, "mov.u32 $w, %ctaid.y;"}, {1, 0, "mov.u32 $w, %laneid;"}, {1, 0, "mov.u32 $w, %clock;"}, {1, 0, "mov.u64 $l, %clock64;"}, {1, 0, "mov.u32 $w, %nctaid.x;"}, {1, 0, "ld.param.u32 $w, [n];"},
	{1, 75, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {$w, %r5}, {$w}, {$w}, {$w, $w};"}, {1, 75, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {$h,$h}, {$h}, {$f,$f,$f,$f};"}, {1, 80, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%h0,%h1}, {$h,$h,$h,$h}, {$h,$h}, {$h,$h};"}, {1, 80, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d1}, {$d}, {$d}, {$d,$d};"}, {1, 75, "and.b32 %t, $w, 1008; ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6,%r7}, [%t];"}, {1, 75, "movmatrix.sync.aligned.m8n8.trans.b16 $w, $w;"},
	{3, 0, "add.s32 $k, $k, $k;"}, {2, 0, "add.s32 $w, $w, $k;"}, {2, 0, "mad.lo.s32 $w, $w, $k, $k;"}, {2, 0, "mad.lo.s32 $k, $k, $k, $k;"}, {2, 0, "shl.b32 $k, $k, $i;"}, {1, 0, "shr.u32 $k, $k, $k;"}, {2, 0, "lop3.b32 $k, $k, $k, $k, 0x96;"}, {2, 0, "lop3.b32 $w, $w, $k, $w, 0xe8;"}, {1, 0, "prmt.b32 $k, $k, $k, $i;"}, {1, 0, "shf.r.wrap.b32 $k, $k, $k, $i;"}, {1, 0, "popc.b32 $k, $k;"}, {1, 0, "bfind.u32 $k, $k;"}, {1, 0, "bmsk.clamp.b32 $k, $k, $k;"}, {1, 0, "bmsk.wrap.b32 $w, $k, $i;"}, {2, 0, "min.s32 $k, $k, $i;"}, {2, 0, "min.s32 $w, $w, $k;"}, {2, 0, "setp.$c.s32 $p, $k, $k;"}, {1, 0, "setp.$c.s32 $p, $w, $k;"}, {2, 0, "selp.b32 $k, $k, $k, $p;"}, {1, 0, "mul.wide.u32 $l, $k, $k;"}, {1, 0, "mad.wide.s32 $l, $w, $k, $l;"}, {1, 0, "cvt.u64.u32 %u, $k; add.s64 %a, %g, %u; ld.global.u8 $w, [%a];"}, {1, 0, "cvt.rn.f32.s32 $f, $k;"}, {1, 0, "mov.b32 $f, $k;"},
	{1, 0, "add.cc.u32 $w, $w, $w; addc.u32 $w, $w, $w;"}, {1, 0, "sub.cc.u32 $w, $w, $w; subc.cc.u32 $w, $w, $w; subc.u32 $w, $w, $w;"}, {1, 0, "mad.lo.cc.u32 $w, $w, $w, $w; madc.hi.u32 $w, $w, $w, $w;"}, {1, 0, "mul.hi.u64 $l, $l, $l;"}, {1, 0, "mad.hi.s64 $l, $l, $l, $l;"}, {1, 0, "div.u64 $l, $l, $l;"}, {1, 0, "rem.s64 $l, $l, $l;"}, {1, 0, "setp.$c.s64 $p, $l, $l;"}, {1, 0, "selp.f64 $d, $d, $d, $p;"},
	{1, 0, "setp.$c.f16x2 $p|$p, $h, $h;"}, {1, 90, "setp.$c.bf16x2 $p|$p, $h, $h;"}, {1, 0, "neg.f16x2 $h, $h;"}, {1, 80, "max.NaN.bf16x2 $h, $h, $h;"}, {1, 75, "tanh.approx.f16x2 $h, $h;"}, {1, 0, address + "atom.global.add.noftz.f16x2 $h, [%a+$o], $h;"}, {1, 90, address + "red.global.add.noftz.bf16x2 [%a+$o], $h;"}, {1, 0, address + "atom.global.add.f64 $d, [%a+$o], $d;"}, {1, 0, address + "atom.global.max.s64 $l, [%a+$o], $l;"},
	{1, 0, "and.b32 %t, $w, 1008; st.shared.v4.u32 [%t], {$w, $w, $w, $w}; mad.wide.u32 $l, $w, $w, $l;"}, {1, 0, "and.b32 %t, $w, 1008; atom.shared.max.u64 $l, [%t], $l;"}, {1, 0, "and.b32 %t, $w, 1008; red.shared.add.u32 [%t], $w;"},
	{1, 80, address + "and.b32 %t, $w, 1008; cp.async.ca.shared.global [%t], [%a], 16; cp.async.commit_group;"}, {1, 80, "cp.async.wait_group 1;"}, {1, 80, "cp.async.wait_all;"}, {1, 75, "nanosleep.u32 20;"}, {1, 0, "prefetch.global.L2 [%g];"},
}

func (k *kernelWriter) statement() {
	total := 0
	for _, s := range statements {
		if s.since <= k.sm {
			total += s.weight
		}
	}
	n := k.IntN(total)
	for _, s := range statements {
		if s.since > k.sm {
			continue
		}
		if n -= s.weight; n < 0 {
			fmt.Fprintf(k, "\t%s\n", k.operands(s.text))
			return
		}
	}
}

// block writes about n statements, including branches and loops.
func (k *kernelWriter) block(n, depth int) {
	for n > 0 {
		inner := 1 + k.IntN(max(n/2, 1))
		label := k.labels
		switch kind := k.IntN(14); {
		case kind == 0 && depth < maxDepth: // if
			k.labels++
			fmt.Fprint(k, k.operands(fmt.Sprintf("\t@$p bra L%d;\n", label)))
			k.block(inner, depth+1)
			fmt.Fprintf(k, "L%d:\n", label)
		case kind == 1 && depth < maxDepth: // if and else
			k.labels += 2
			fmt.Fprint(k, k.operands(fmt.Sprintf("\t@$p bra L%d;\n", label)))
			k.block(inner, depth+1)
			fmt.Fprintf(k, "\tbra L%d;\nL%d:\n", label+1, label)
			k.block(inner, depth+1)
			fmt.Fprintf(k, "L%d:\n", label+1)
		case kind == 2 && depth < maxDepth: // loop
			k.labels++
			fmt.Fprintf(k, "\tmov.u32 %%n%d, %d;\nL%d:\n", depth, k.IntN(50), label)
			k.block(inner, depth+1)
			fmt.Fprintf(k, "\tsub.s32 %%n%d, %%n%d, 1;\n\tsetp.gt.s32 %%q, %%n%d, 0;\n\t@%%q bra L%d;\n", depth, depth, depth, label)
		default:
			k.statement()
			n--
			continue
		}
		n -= inner
	}
}

// Module returns the PTX of a number of kernels for an SM. target is the name of the PTX target.
func Module(rng *rand.Rand, sm int, target string, kernels int) string {
	k := &kernelWriter{Rand: rng, sm: sm, recent: map[byte]int{}}
	fmt.Fprintf(k, ".version 9.0\n.target %s\n.address_size 64\n.const .align 16 .b32 bank[%d];\n.shared .align 16 .b8 tile[2048];\n", target, constants)
	for i := range kernels {
		k.kernel(i)
	}
	return k.String()
}

// kernel writes one kernel.
func (k *kernelWriter) kernel(number int) {
	fmt.Fprintf(k, ".entry k%d(.param .u64 g, .param .align 4 .b8 n[16])\n{\n\t.reg .b32 %%r<%d>, %%t, %%s, %%n<8>, %%h<%d>, %%k<%d>;\n\t.reg .b64 %%l<%d>, %%g, %%a, %%u;\n\t.reg .f32 %%f<%d>;\n\t.reg .f64 %%d<%d>;\n\t.reg .pred %%p<%d>, %%q;\n\t.local .align 16 .b8 stack[64];\n", number, words, halves, uniforms, longs, floats, doubles, booleans)
	k.WriteString("\tld.param.u64 %g, [g];\n\tcvta.to.global.u64 %g, %g;\n")
	for i := range words {
		fmt.Fprintf(k, "\tld.global.u32 %%r%d, [%%g+%d];\n", i, 4*i)
	}
	for i := range longs {
		fmt.Fprintf(k, "\tld.global.u64 %%l%d, [%%g+%d];\n", i, 64+8*i)
	}
	for i := range floats {
		fmt.Fprintf(k, "\tld.global.f32 %%f%d, [%%g+%d];\n", i, 256+4*i)
	}
	for i := range doubles {
		fmt.Fprintf(k, "\tld.global.f64 %%d%d, [%%g+%d];\n", i, 320+8*i)
	}
	for i := range halves {
		fmt.Fprintf(k, "\tld.global.u32 %%h%d, [%%g+%d];\n", i, 400+4*i)
	}
	for i := range uniforms {
		fmt.Fprintf(k, "\tld.param.u32 %%k%d, [n+%d];\n", i, 4*i)
	}
	for i := range booleans {
		fmt.Fprintf(k, "\tsetp.gt.s32 %%p%d, %%r%d, %d;\n", i, i, i)
	}
	k.block(5+k.IntN(40), 0)
	for i := range words {
		fmt.Fprintf(k, "\tst.global.u32 [%%g+%d], %%r%d;\n", 512+4*i, i)
	}
	for i := range longs {
		fmt.Fprintf(k, "\tst.global.u64 [%%g+%d], %%l%d;\n", 640+8*i, i)
	}
	for i := range floats {
		fmt.Fprintf(k, "\tst.global.f32 [%%g+%d], %%f%d;\n", 768+4*i, i)
	}
	for i := range doubles {
		fmt.Fprintf(k, "\tst.global.f64 [%%g+%d], %%d%d;\n", 832+8*i, i)
	}
	for i := range halves {
		fmt.Fprintf(k, "\tst.global.u32 [%%g+%d], %%h%d;\n", 900+4*i, i)
	}
	for i := range uniforms {
		fmt.Fprintf(k, "\tst.global.u32 [%%g+%d], %%k%d;\n", 1000+4*i, i)
	}
	fmt.Fprint(k, "\tret;\n}\n")
}
