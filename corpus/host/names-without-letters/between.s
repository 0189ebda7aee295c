	.section __nv_relfatbin,"a"
	.balign 8
fatbin:
	.incbin "code.fatbin"

	.section .nvFatBinSegment,"aw"
	.balign 8
	.long 0x466243b1, 1
	.quad fatbin, 0

	.section .nvHRKE,"a"
	.asciz "k"
	.asciz ""
	.asciz "m"
