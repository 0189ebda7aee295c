	.data
	.long 1
