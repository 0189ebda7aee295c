	.data
x:	.long 0
