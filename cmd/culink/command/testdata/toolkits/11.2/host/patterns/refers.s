	.section __nv_relfatbin,"a"
	.balign 8
fatbin:
	.incbin "code.fatbin"

	.section .nvFatBinSegment,"aw"
	.balign 8
	.long 0x466243b1, 1
	.quad fatbin, 0

	.section .nvHRKE,"a"
	.asciz "_Z*th*f*Pi*"
	.asciz "*nothing*"
	.asciz "*plai*X*"
	.asciz "_Z*IcfEvPT_**0_"

	.section .nvHRKI,"a"
	.asciz "*hid*de*n*"
