	.section __nv_relfatbin,"a"
	.balign 8
fatbin:
	.incbin "code.fatbin"

	.section .nvFatBinSegment,"aw"
	.balign 4
	.long 0x466243b1, 1
	.long fatbin, 0
