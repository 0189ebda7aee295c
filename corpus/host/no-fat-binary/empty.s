	.section __nv_relfatbin,"a"
	.balign 8

	.section .nvFatBinSegment,"aw"
	.balign 8
	.long 0x466243b1, 1
	.quad 0, 0
