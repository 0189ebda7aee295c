	.section __nv_module_id,"a"
	.asciz "def _plain"
	.asciz "def _other"

	.section __nv_relfatbin,"a"
fatbin:
	.incbin "code.fatbin"

	.section .nvFatBinSegment,"aw"
	.long 0x466243b1, 1
	.quad fatbin, 0
