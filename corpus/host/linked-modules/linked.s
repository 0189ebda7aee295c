	.section .nv_fatbin,"a"
	.balign 8
fatbin:
	.long 0xba55ed50, 0x100001
	.quad 0

	.section .nvFatBinSegment,"aw"
	.balign 8
	.long 0x466243b1, 1
	.quad fatbin, 0

	.section __nv_module_id,"a"
	.asciz "def _first"
	.asciz "def _other"
