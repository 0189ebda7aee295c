	.section .nv_fatbin,"a"
	.balign 8
fatbin:
	.incbin "code.fatbin"

	.section .nvFatBinSegment,"aw"
	.balign 8
	.long 0x466243b1, 1
	.quad fatbin, 0
