	.section __nv_relfatbin,"a"
fatbin:
	.incbin "code.fatbin"

	.section .nvFatBinSegment,"aw"
	.long 0x466243b1, 1
	.quad fatbin, 0
