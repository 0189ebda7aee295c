	.section __nv_relfatbin,"a"
	.balign 8
fatbin:
	.incbin "code.fatbin"

	.section .nvFatBinSegment,"aw"
	.balign 8
	.long 0x466243b1, 1
	.quad fatbin, 0

	.if N == 1
	.section .nvHRKE,"a"
	.asciz "ab"
	.asciz "ab"
	.section .nvHRKI,"a"
	.asciz "h"
	.endif

	.if N == 2
	.section .nvHRKE,"a"
	.asciz "ab*"
	.asciz "x*"
	.section .nvHRKI,"a"
	.asciz "*h"
	.endif

	.if N == 3
	.section .nvHRKE,"a"
	.asciz "*b"
	.section .nvHRKI,"a"
	.asciz "h*"
	.endif

	.if N == 4
	.section .nvHRKE,"a"
	.asciz "ab*ba"
	.asciz "a*ab"
	.section .nvHRKI,"a"
	.asciz "h*h"
	.endif

	.if N == 5
	.section .nvHRKE,"a"
	.asciz "a*b*"
	.asciz "ab"
	.section .nvHRKI,"a"
	.asciz "a*b"
	.endif

	.if N == 6
	.section .nvHRKE,"a"
	.asciz ""
	.asciz "b*a"
	.section .nvHRKI,"a"
	.asciz ""
	.asciz "ha"
	.endif

	.if N == 7
	.section .nvHRKE,"a"
	.asciz "a**b"
	.asciz "*c"
	.section .nvHRKI,"a"
	.asciz "**"
	.endif

	.if N == 8
	.section .nvHRKE,"a"
	.asciz "*"
	.asciz "*"
	.section .nvHRKI,"a"
	.asciz "ha"
	.asciz "a*"
	.endif
