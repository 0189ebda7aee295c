	.globl x
	.data
x:	.long 1
