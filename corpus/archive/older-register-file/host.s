	.section __nv_relfatbin,"a"
	.balign 8
fatbin:
	.if N == 0
	.incbin "main.fatbin"
	.elseif N == 1
	.incbin "alone.fatbin"
	.elseif N == 2
	.incbin "callee.fatbin"
	.else
	.incbin "other.fatbin"
	.endif

	.section .nvFatBinSegment,"aw"
	.balign 8
	.long 0x466243b1, 1
	.quad fatbin, 0

	.section __nv_module_id,"a"
	.if N == 0
	.asciz "__0000000a_4__main"
	.elseif N == 1
	.asciz "__0000000b_5__alone"
	.elseif N == 2
	.asciz "__0000000c_6__callee"
	.else
	.asciz "__0000000d_5__other"
	.endif
