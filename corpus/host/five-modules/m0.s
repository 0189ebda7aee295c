	.section __nv_relfatbin,"a"
	.balign 8
fatbin:
	.incbin "code.fatbin"

	.section .nvFatBinSegment,"aw"
	.balign 8
	.long 0x466243b1, 1
	.quad fatbin, 0

	.section __nv_module_id,"a"
	.asciz "__0000d4_4__id_z"
