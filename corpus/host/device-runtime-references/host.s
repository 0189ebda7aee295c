	.section __nv_relfatbin,"a"
	.balign 8
fatbin:
	.if N == 0
	.incbin "main.fatbin"
	.elseif N == 3
	.incbin "other.fatbin"
	.else
	.incbin "callee.fatbin"
	.endif

	.section .nvFatBinSegment,"aw"
	.balign 8
	.long 0x466243b1, 1
	.quad fatbin, 0

	.if N == 0
	.section .nvHRKE,"a"
	.asciz "_Z4usedPi"
	.elseif N == 1
	.section .nvHRKE,"a"
	.asciz "_Z5firstPi"
	.elseif N == 2
	.section .nvHRKE,"a"
	.asciz "_Z6secondPi"
	.elseif N == 3
	.section .nvHRKE,"a"
	.asciz "_Z5otherPi"
	.endif
