package sass

// operandLists are the lists of operands that forms have.
var operandLists = [...][]Operand{
	0:   {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 32, 1}},
	1:   {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 32, 2}},
	2:   {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, Predicate, 87, 1}},
	3:   {{true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, Predicate, 87, 1}},
	4:   {{true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, Predicate, 68, 1}, {false, Predicate, 87, 1}},
	5:   {{true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 2}, {false, Predicate, 87, 1}},
	6:   {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, General, 64, 1}, {false, Predicate, 87, 1}},
	7:   {{true, General, 16, 1}, {true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, General, 64, 1}},
	8:   {{true, General, 16, 1}, {true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, General, 64, 1}, {false, Predicate, 77, 1}, {false, Predicate, 87, 1}},
	9:   {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}},
	10:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, Predicate, 87, 1}},
	11:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, General, 64, 1}},
	12:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, General, 64, 1}, {false, Predicate, 87, 1}},
	13:  {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, General, 64, 1}},
	14:  {{true, General, 16, 2}, {true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 2}, {false, Predicate, 77, 1}, {false, Predicate, 87, 1}},
	15:  {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}},
	16:  {{true, General, 16, 2}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, General, 64, 2}},
	17:  {{true, General, 16, 2}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, General, 64, 2}, {false, Predicate, 87, 1}},
	18:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, General, 64, 2}},
	19:  {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 2}},
	20:  {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 64, 2}},
	21:  {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 2}, {false, General, 64, 2}},
	22:  {{true, General, 16, 2}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 2}},
	23:  {{true, General, 16, 4}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 1}, {false, General, 64, 4}},
	24:  {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 4}, {false, General, 32, 2}, {false, General, 64, 2}},
	25:  {{true, General, 16, 4}, {false, Predicate, 12, 1}, {false, General, 24, 4}, {false, General, 32, 2}, {false, General, 64, 4}},
	26:  {{true, General, 16, 4}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 2}, {false, General, 64, 4}},
	27:  {{true, Uniform, 16, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 32, 1}, {false, UniformPredicate, 87, 1}},
	28:  {{true, Uniform, 16, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 32, 1}},
	29:  {{true, UniformPredicate, 81, 1}, {true, UniformPredicate, 84, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 32, 1}, {false, UniformPredicate, 68, 1}, {false, UniformPredicate, 87, 1}},
	30:  {{true, UniformPredicate, 81, 1}, {true, UniformPredicate, 84, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 32, 1}, {false, UniformPredicate, 87, 1}},
	31:  {{true, UniformPredicate, 81, 1}, {true, UniformPredicate, 84, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 2}, {false, Uniform, 32, 2}, {false, UniformPredicate, 87, 1}},
	32:  {{true, Uniform, 16, 1}, {true, UniformPredicate, 81, 1}, {true, UniformPredicate, 84, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 32, 1}, {false, Uniform, 64, 1}},
	33:  {{true, Uniform, 16, 1}, {true, UniformPredicate, 81, 1}, {true, UniformPredicate, 84, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 32, 1}, {false, Uniform, 64, 1}, {false, UniformPredicate, 77, 1}, {false, UniformPredicate, 87, 1}},
	34:  {{true, Uniform, 16, 1}, {true, UniformPredicate, 81, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 32, 1}},
	35:  {{true, Uniform, 16, 2}, {true, UniformPredicate, 81, 1}, {true, UniformPredicate, 84, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 2}, {false, Uniform, 32, 2}, {false, Uniform, 64, 2}},
	36:  {{true, Uniform, 16, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 32, 1}, {false, Uniform, 64, 1}},
	37:  {{true, Uniform, 16, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 32, 1}},
	38:  {{true, Uniform, 16, 1}, {true, UniformPredicate, 81, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 32, 1}},
	39:  {{true, Uniform, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}},
	40:  {{true, Uniform, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}},
	41:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 32, 1}},
	42:  {{true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}},
	43:  {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 32, 2}},
	44:  {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 32, 1}},
	45:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}},
	46:  {{false, Predicate, 12, 1}, {false, General, 32, 1}},
	47:  {{false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Predicate, 87, 1}},
	48:  {{true, General, 16, 1}, {false, Predicate, 12, 1}},
	49:  {{false, Predicate, 12, 1}, {false, General, 32, 1}, {false, Predicate, 87, 1}},
	50:  {{false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}},
	51:  {{false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 2}},
	52:  {{false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 4}},
	53:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 1}, {false, General, 64, 1}},
	54:  {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 2}, {false, General, 64, 2}},
	55:  {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}},
	56:  {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}},
	57:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}},
	58:  {{true, General, 16, 2}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 2}, {false, General, 64, 2}},
	59:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}},
	60:  {{false, UniformPredicate, 12, 1}, {false, Uniform, 24, 2}, {false, Uniform, 32, 2}, {false, Uniform, 64, 1}},
	61:  {{true, General, 16, 2}, {false, Predicate, 12, 1}},
	62:  {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Predicate, 87, 1}},
	63:  {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 64, 1}},
	64:  {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 2}},
	65:  {{true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Predicate, 87, 1}},
	66:  {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Predicate, 87, 1}},
	67:  {{true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Predicate, 87, 1}},
	68:  {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 64, 1}, {false, Predicate, 87, 1}},
	69:  {{true, Uniform, 16, 2}, {false, UniformPredicate, 12, 1}},
	70:  {{true, Uniform, 16, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 64, 1}},
	71:  {{false, Predicate, 12, 1}, {false, UniformPredicate, 24, 1}, {false, Predicate, 87, 1}},
	72:  {{true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, General, 64, 1}},
	73:  {{true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 2}, {false, General, 64, 2}},
	74:  {{true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, Uniform, 64, 1}},
	75:  {{false, Predicate, 12, 1}},
	76:  {{true, Uniform, 16, 2}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 32, 2}},
	77:  {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 2}, {false, Predicate, 87, 1}},
	78:  {{true, Uniform, 16, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}},
	79:  {{true, Uniform, 16, 2}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}},
	80:  {{true, Uniform, 16, 4}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}},
	81:  {{false, Predicate, 12, 1}, {false, General, 24, 1}},
	82:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, Predicate, 87, 1}},
	83:  {{true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Predicate, 68, 1}, {false, Predicate, 87, 1}},
	84:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 64, 1}},
	85:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 64, 1}, {false, Predicate, 77, 1}, {false, Predicate, 87, 1}},
	86:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 64, 1}},
	87:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 64, 1}, {false, Predicate, 87, 1}},
	88:  {{true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, Predicate, 68, 1}, {false, Predicate, 77, 1}, {false, Predicate, 87, 1}},
	89:  {{true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, UniformPredicate, 68, 1}, {false, Predicate, 77, 1}, {false, Predicate, 87, 1}},
	90:  {{true, General, 16, 2}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 64, 2}},
	91:  {{true, General, 16, 2}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 64, 2}, {false, Predicate, 87, 1}},
	92:  {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 64, 2}},
	93:  {{true, Uniform, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, Predicate, 87, 1}},
	94:  {{true, General, 16, 2}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}},
	95:  {{true, Uniform, 16, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, UniformPredicate, 87, 1}},
	96:  {{true, Uniform, 16, 1}, {false, UniformPredicate, 12, 1}},
	97:  {{true, Uniform, 16, 1}, {true, UniformPredicate, 81, 1}, {false, Predicate, 12, 1}, {false, Predicate, 87, 1}},
	98:  {{true, UniformPredicate, 81, 1}, {true, UniformPredicate, 84, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, UniformPredicate, 87, 1}},
	99:  {{true, Uniform, 16, 1}, {true, UniformPredicate, 81, 1}, {true, UniformPredicate, 84, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 64, 1}},
	100: {{true, Uniform, 16, 1}, {true, UniformPredicate, 81, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 64, 1}},
	101: {{true, Uniform, 16, 1}, {true, UniformPredicate, 81, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 1}, {false, Uniform, 64, 1}, {false, UniformPredicate, 87, 1}},
	102: {{true, Uniform, 16, 2}, {true, UniformPredicate, 81, 1}, {true, UniformPredicate, 84, 1}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 2}, {false, Uniform, 64, 2}},
	103: {{true, UniformPredicate, 81, 1}, {true, UniformPredicate, 84, 1}, {false, UniformPredicate, 12, 1}, {false, UniformPredicate, 68, 1}, {false, UniformPredicate, 77, 1}, {false, UniformPredicate, 87, 1}},
	104: {{false, Predicate, 12, 1}, {false, Predicate, 87, 1}},
	105: {{false, Predicate, 12, 1}, {false, Uniform, 24, 1}, {false, Predicate, 87, 1}},
	106: {{false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Predicate, 87, 1}},
	107: {{false, Predicate, 12, 1}, {false, Uniform, 24, 2}, {false, Predicate, 87, 1}},
	108: {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Uniform, 32, 2}},
	109: {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Uniform, 32, 2}},
	110: {{true, General, 16, 4}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Uniform, 32, 2}},
	111: {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Uniform, 32, 2}},
	112: {{true, General, 16, 2}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Uniform, 32, 2}},
	113: {{true, General, 16, 4}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Uniform, 32, 2}},
	114: {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 1}},
	115: {{true, General, 16, 4}, {false, Predicate, 12, 1}, {false, General, 24, 1}},
	116: {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}},
	117: {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}},
	118: {{true, General, 16, 4}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}},
	119: {{false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 1}, {false, Uniform, 64, 2}},
	120: {{false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 2}, {false, Uniform, 64, 2}},
	121: {{false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 4}, {false, Uniform, 64, 2}},
	122: {{false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, Uniform, 64, 1}},
	123: {{false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 2}, {false, Uniform, 64, 1}},
	124: {{false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 4}, {false, Uniform, 64, 1}},
	125: {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 1}, {false, Uniform, 64, 2}},
	126: {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, Uniform, 64, 1}},
	127: {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 2}, {false, Uniform, 64, 1}},
	128: {{false, Predicate, 12, 1}, {false, General, 24, 2}},
	129: {{true, General, 16, 2}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 2}, {false, Uniform, 64, 2}},
	130: {{true, General, 16, 4}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 4}, {false, Uniform, 64, 2}},
	131: {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, Uniform, 64, 1}},
	132: {{false, UniformPredicate, 12, 1}},
	133: {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, Uniform, 32, 1}},
	134: {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, Uniform, 32, 2}},
	135: {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}, {false, Predicate, 87, 1}},
	136: {{true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}, {false, Predicate, 68, 1}, {false, Predicate, 87, 1}},
	137: {{true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}, {false, Predicate, 87, 1}},
	138: {{true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Uniform, 32, 2}, {false, Predicate, 87, 1}},
	139: {{true, General, 16, 1}, {true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}, {false, General, 64, 1}},
	140: {{true, General, 16, 1}, {true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}, {false, General, 64, 1}, {false, Predicate, 77, 1}, {false, Predicate, 87, 1}},
	141: {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}},
	142: {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}, {false, Predicate, 87, 1}},
	143: {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}, {false, General, 64, 1}, {false, Predicate, 87, 1}},
	144: {{true, General, 16, 2}, {true, Predicate, 81, 1}, {true, Predicate, 84, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Uniform, 32, 2}, {false, Predicate, 77, 1}, {false, Predicate, 87, 1}},
	145: {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}, {false, General, 64, 1}},
	146: {{true, General, 16, 2}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}, {false, General, 64, 2}},
	147: {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Uniform, 32, 2}, {false, General, 64, 2}},
	148: {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 1}, {false, General, 64, 1}, {false, Predicate, 87, 1}},
	149: {{true, Uniform, 16, 2}, {false, UniformPredicate, 12, 1}, {false, Uniform, 24, 2}, {false, Uniform, 32, 2}, {false, UniformPredicate, 87, 1}},
	150: {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, Uniform, 32, 1}},
	151: {{true, General, 16, 2}, {false, Predicate, 12, 1}, {false, Uniform, 32, 1}},
	152: {{true, General, 16, 2}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 32, 2}, {false, General, 64, 1}},
	153: {{true, General, 16, 1}, {true, General, 64, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 1}, {false, Uniform, 40, 2}},
	154: {{true, General, 16, 1}, {true, General, 64, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 3}, {false, General, 32, 1}, {false, Uniform, 40, 2}},
	155: {{true, General, 16, 2}, {true, General, 64, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 1}, {false, Uniform, 40, 2}},
	156: {{true, General, 16, 2}, {true, General, 64, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 3}, {false, General, 32, 1}, {false, Uniform, 40, 2}},
	157: {{true, General, 16, 2}, {true, General, 64, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 4}, {false, General, 32, 1}, {false, Uniform, 40, 2}},
	158: {{true, General, 16, 2}, {true, General, 64, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}},
	159: {{true, General, 16, 2}, {true, General, 64, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 4}, {false, Uniform, 40, 2}},
	160: {{true, General, 16, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 64, 1}},
	161: {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 1}, {false, Uniform, 40, 1}},
	162: {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Uniform, 40, 1}},
	163: {{true, General, 16, 1}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 3}, {false, Uniform, 40, 1}},
	164: {{true, General, 16, 4}, {true, Predicate, 81, 1}, {false, Predicate, 12, 1}, {false, General, 24, 2}, {false, Uniform, 40, 1}},
	165: {{false, Predicate, 12, 1}, {false, General, 24, 1}, {false, General, 32, 1}, {false, Uniform, 40, 1}},
	166: {{false, Predicate, 12, 1}, {false, General, 24, 2}, {false, General, 32, 4}, {false, Uniform, 40, 1}},
	167: {{false, Predicate, 12, 1}, {false, General, 24, 3}, {false, General, 32, 1}, {false, Uniform, 40, 1}},
	168: {{false, Predicate, 12, 1}, {false, General, 24, 3}, {false, General, 32, 2}, {false, Uniform, 40, 1}},
	169: {{true, Predicate, 87, 1}, {false, Predicate, 12, 1}, {false, General, 16, 1}, {false, General, 24, 2}, {false, Uniform, 64, 2}, {false, Predicate, 87, 1}},
}

// forms has a row for each form, by opcode. They were measured: the life ranges that the
// disassembler prints for the machine code of our own sources for sm_100 and sm_120, and for the same
// instructions with one bit changed.
var forms = [...]Form{
	{0x202, 100, 121, Instruction{0x0, 0x8010000}, Instruction{0x0, 0x0}, 0},                                       // MOV
	{0x202, 100, 121, Instruction{0x0, 0x8010000}, Instruction{0x0, 0x10000}, 1},                                   // MOV.64
	{0x207, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 2},                                       // SEL
	{0x208, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 2},                                       // FSEL
	{0x20b, 100, 121, Instruction{0x0, 0x8000800}, Instruction{0x0, 0x0}, 3},                                       // FSETP.GT.AND
	{0x20c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x100}, 4},                                     // ISETP.EQ.OR.EX
	{0x20c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x0}, 3},                                       // ISETP.GT.AND
	{0x20c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x10000}, 5},                                   // ISETP.EQ.S64.OR
	{0x20f, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 6},                                       // VIMNMX3
	{0x210, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x0}, 7},                                       // IADD3
	{0x210, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x400}, 8},                                     // IADD3.X
	{0x211, 100, 121, Instruction{0x0, 0x8010600}, Instruction{0x0, 0x0}, 9},                                       // LEA
	{0x211, 100, 121, Instruction{0x0, 0x8010600}, Instruction{0x0, 0x10200}, 9},                                   // LEA.HI.SX32
	{0x211, 100, 121, Instruction{0x0, 0x8010600}, Instruction{0x0, 0x10600}, 10},                                  // LEA.HI.X.SX32
	{0x211, 100, 121, Instruction{0x0, 0x8010600}, Instruction{0x0, 0x10000}, 11},                                  // LEA.HI
	{0x211, 100, 121, Instruction{0x0, 0x8010600}, Instruction{0x0, 0x10400}, 12},                                  // LEA.HI.X
	{0x212, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 12},                                      // LOP3.LUT
	{0x213, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 0},                                       // IABS
	{0x214, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 11},                                      // VABSDIFF
	{0x215, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 11},                                      // VABSDIFF4.U8
	{0x216, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 13},                                      // PRMT
	{0x217, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x400}, 14},                                    // IMNMX.U64
	{0x219, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 13},                                      // SHF.R.U32.HI
	{0x220, 100, 121, Instruction{0x0, 0x8401000}, Instruction{0x0, 0x400000}, 15},                                 // FMUL
	{0x221, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 15},                                      // FADD
	{0x223, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 13},                                      // FFMA
	{0x224, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x0}, 13},                                      // IMAD.U32
	{0x224, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x400}, 6},                                     // IMAD.X
	{0x225, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x0}, 16},                                      // IMAD.WIDE.U32
	{0x225, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x400}, 17},                                    // IMAD.WIDE.U32.X
	{0x226, 100, 121, Instruction{0x0, 0x8002000}, Instruction{0x0, 0x0}, 13},                                      // IDP.4A.S8.S8
	{0x227, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x0}, 18},                                      // IMAD.HI.U32
	{0x228, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 19},                                      // DMUL
	{0x229, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 20},                                      // DADD
	{0x22a, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 5},                                       // DSETP.NAN.AND
	{0x22b, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 21},                                      // DFMA
	{0x230, 100, 121, Instruction{0x3000000000000000, 0x8004400}, Instruction{0x0, 0x0}, 15},                       // HADD2
	{0x230, 100, 121, Instruction{0x2000000000000000, 0x8204400}, Instruction{0x2000000000000000, 0x4000}, 15},     // HADD2.F32
	{0x231, 100, 121, Instruction{0x0, 0x802e400}, Instruction{0x0, 0x0}, 13},                                      // HFMA2
	{0x231, 100, 121, Instruction{0x0, 0x802e400}, Instruction{0x0, 0x8000}, 6},                                    // HFMA2.BF16_V2.RELU
	{0x233, 100, 121, Instruction{0x1000000000000000, 0x8000401}, Instruction{0x0, 0x0}, 2},                        // HSET2.GT.AND
	{0x234, 100, 121, Instruction{0x0, 0x8000001}, Instruction{0x0, 0x0}, 3},                                       // HSETP2.GT.AND
	{0x235, 100, 121, Instruction{0x0, 0x8000600}, Instruction{0x0, 0x200}, 22},                                    // IADD.64
	{0x236, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x0}, 15},                                      // VIADD.16x2
	{0x237, 100, 121, Instruction{0x0, 0xbf8af00}, Instruction{0x0, 0x400400}, 23},                                 // IMMA.16816.U8.U8
	{0x23c, 100, 121, Instruction{0x0, 0xb8c5a00}, Instruction{0x0, 0x800}, 24},                                    // HMMA.16816.F16
	{0x23c, 100, 121, Instruction{0x0, 0xb8c5a00}, Instruction{0x0, 0x85000}, 23},                                  // HMMA.1684.F32.TF32
	{0x23c, 100, 121, Instruction{0x0, 0xb885a00}, Instruction{0x0, 0x1800}, 25},                                   // HMMA.16816.F32
	{0x23e, 100, 121, Instruction{0x0, 0xeefe600}, Instruction{0x0, 0x0}, 15},                                      // F2FP.F16.F32.PACK_AB
	{0x23e, 100, 121, Instruction{0x0, 0xeefe600}, Instruction{0x0, 0x4806000}, 13},                                // F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C
	{0x23e, 100, 121, Instruction{0x0, 0xeeff400}, Instruction{0x0, 0x2000400}, 0},                                 // F2FP.F16.E4M3.UNPACK_B
	{0x23f, 100, 121, Instruction{0x0, 0xb803000}, Instruction{0x0, 0x0}, 26},                                      // DMMA.8x8x4
	{0x240, 100, 121, Instruction{0x1000000000000000, 0x8004402}, Instruction{0x0, 0x0}, 2},                        // HMNMX2
	{0x245, 100, 121, Instruction{0x0, 0x830f800}, Instruction{0x0, 0x201000}, 0},                                  // I2FP.F32.S32
	{0x246, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 6},                                       // VIADDMNMX
	{0x248, 100, 121, Instruction{0x0, 0x8000600}, Instruction{0x0, 0x400}, 2},                                     // VIMNMX.U8x4
	{0x248, 100, 121, Instruction{0x0, 0x87e0400}, Instruction{0x0, 0x7e0000}, 2},                                  // VIMNMX
	{0x24a, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 27},                                // UVIMNMX.U32
	{0x25a, 100, 121, Instruction{0x0, 0x8103800}, Instruction{0x0, 0x8001000}, 28},                                // UI2F.U32.RP
	{0x25e, 100, 121, Instruction{0x0, 0x830f800}, Instruction{0x0, 0x8201000}, 28},                                // UI2FP.F32.S32
	{0x287, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 27},                                // USEL
	{0x28c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x8000100}, 29},                                // UISETP.EQ.OR.EX
	{0x28c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x8000000}, 30},                                // UISETP.LT.U32.AND
	{0x28c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x8010000}, 31},                                // UISETP.EQ.S64.OR
	{0x290, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x8000000}, 32},                                // UIADD3
	{0x290, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x8000400}, 33},                                // UIADD3.X
	{0x291, 100, 121, Instruction{0x0, 0x8010600}, Instruction{0x0, 0x8000000}, 34},                                // ULEA
	{0x297, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x8000000}, 35},                                // UIADD3.64
	{0x299, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 36},                                // USHF.L.U32
	{0x29b, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 37},                                // UBMSK
	{0x2a4, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x8000000}, 36},                                // UIMAD
	{0x2bd, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 38},                                // UFLO.U32
	{0x2bf, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 28},                                // UPOPC
	{0x2ca, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 39},                                      // R2UR
	{0x2cc, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x0}, 40},                                      // CREDUX.MIN.S32
	{0x300, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 41},                                      // FLO.U32
	{0x301, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 0},                                       // BREV
	{0x302, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 42},                                      // FCHK
	{0x305, 100, 121, Instruction{0x2000000000000000, 0x8700800}, Instruction{0x0, 0x100000}, 0},                   // F2I.F16.TRUNC.NTZ
	{0x305, 100, 121, Instruction{0x2000000000000000, 0x8700800}, Instruction{0x0, 0x200000}, 0},                   // F2I.TRUNC.NTZ
	{0x306, 100, 121, Instruction{0x2000000000000000, 0x8103800}, Instruction{0x0, 0x1000}, 0},                     // I2F.U8
	{0x306, 100, 121, Instruction{0x2000000000000000, 0x8203800}, Instruction{0x0, 0x1000}, 0},                     // I2F.U8
	{0x306, 100, 121, Instruction{0x2000000000000000, 0x8303800}, Instruction{0x0, 0x100800}, 0},                   // I2F.F16.S16
	{0x306, 100, 121, Instruction{0x2000000000000000, 0x8303800}, Instruction{0x0, 0x102000}, 0},                   // I2F.BF16.S16
	{0x306, 100, 121, Instruction{0x2000000000000000, 0x8303800}, Instruction{0x0, 0x200800}, 0},                   // I2F.F16
	{0x306, 100, 121, Instruction{0x2000000000000000, 0x8303800}, Instruction{0x0, 0x202000}, 0},                   // I2F.BF16
	{0x307, 100, 121, Instruction{0x0, 0x8703800}, Instruction{0x0, 0x201000}, 0},                                  // FRND
	{0x308, 100, 121, Instruction{0x0, 0x8001b00}, Instruction{0x0, 0x0}, 0},                                       // MUFU.SIN
	{0x308, 100, 121, Instruction{0x0, 0x8002300}, Instruction{0x0, 0x0}, 0},                                       // MUFU.LG2
	{0x309, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 0},                                       // POPC
	{0x310, 100, 121, Instruction{0x0, 0x8703800}, Instruction{0x0, 0x300800}, 43},                                 // F2F.F16.F64
	{0x310, 100, 121, Instruction{0x0, 0x8703800}, Instruction{0x0, 0x301000}, 43},                                 // F2F.F32.F64
	{0x310, 100, 121, Instruction{0x0, 0x8703800}, Instruction{0x0, 0x302000}, 43},                                 // F2F.BF16.F64
	{0x310, 100, 121, Instruction{0x0, 0x8703800}, Instruction{0x0, 0x201800}, 44},                                 // F2F.F64.F32
	{0x311, 100, 121, Instruction{0x0, 0x8701800}, Instruction{0x0, 0x301000}, 43},                                 // F2I.F64.TRUNC
	{0x311, 100, 121, Instruction{0x0, 0x8701800}, Instruction{0x0, 0x201800}, 44},                                 // F2I.U64.TRUNC
	{0x311, 100, 121, Instruction{0x0, 0x8701800}, Instruction{0x0, 0x301800}, 1},                                  // F2I.S64.F64
	{0x312, 100, 121, Instruction{0x2000000000000000, 0x8303800}, Instruction{0x0, 0x300800}, 43},                  // I2F.F16.U64
	{0x312, 100, 121, Instruction{0x2000000000000000, 0x8303800}, Instruction{0x0, 0x301000}, 43},                  // I2F.U64.RP
	{0x312, 100, 121, Instruction{0x2000000000000000, 0x8303800}, Instruction{0x0, 0x302000}, 43},                  // I2F.BF16.U64
	{0x312, 100, 121, Instruction{0x2000000000000000, 0x8303800}, Instruction{0x0, 0x101800}, 44},                  // I2F.F64.S16
	{0x312, 100, 121, Instruction{0x2000000000000000, 0x8303800}, Instruction{0x0, 0x201800}, 44},                  // I2F.F64
	{0x312, 100, 121, Instruction{0x2000000000000000, 0x8303800}, Instruction{0x0, 0x301800}, 1},                   // I2F.F64.S64
	{0x313, 100, 121, Instruction{0x0, 0x8703800}, Instruction{0x0, 0x301800}, 1},                                  // FRND.F64.TRUNC
	{0x31c, 100, 121, Instruction{0x0, 0x800c000}, Instruction{0x0, 0x4000}, 45},                                   // B2R.RESULT
	{0x31d, 100, 121, Instruction{0x0, 0x800e000}, Instruction{0x0, 0x0}, 46},                                      // BAR.SYNC.DEFER_BLOCKING
	{0x348, 100, 121, Instruction{0x300000000, 0x1fff81c0000}, Instruction{0x0, 0x0}, 47},                          // WARPSYNC
	{0x352, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 46},                                      // RPCMOV.32
	{0x353, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 48},                                      // RPCMOV.32
	{0x355, 100, 121, Instruction{0x20000000, 0x8000000}, Instruction{0x0, 0x0}, 48},                               // BMOV.32.CLEAR
	{0x356, 100, 121, Instruction{0x20000000, 0x8000000}, Instruction{0x0, 0x0}, 46},                               // BMOV.32
	{0x35d, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 49},                                      // NANOSLEEP
	{0x387, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0x800}, 50},                                    // STL
	{0x387, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0xa00}, 51},                                    // STL.64
	{0x387, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0xc00}, 52},                                    // STL.128
	{0x388, 100, 121, Instruction{0x0, 0x8000600}, Instruction{0x0, 0x0}, 50},                                      // STS
	{0x388, 100, 121, Instruction{0x0, 0x8000a00}, Instruction{0x0, 0x0}, 50},                                      // STS.U8
	{0x388, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0xa00}, 51},                                    // STS.64
	{0x388, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0xc00}, 52},                                    // STS.128
	{0x389, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 11},                                      // SHFL.UP
	{0x38b, 100, 121, Instruction{0x0, 0x8000d00}, Instruction{0x0, 0x100}, 53},                                    // ATOM.E.CAS.STRONG.SYS
	{0x38c, 100, 121, Instruction{0x0, 0x8000c00}, Instruction{0x0, 0x0}, 15},                                      // ATOMS.ADD
	{0x38d, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0x0}, 13},                                      // ATOMS.CAS
	{0x38d, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0x400}, 54},                                    // ATOMS.CAS.64
	{0x3a1, 100, 121, Instruction{0x0, 0x8008200}, Instruction{0x0, 0x8000}, 55},                                   // MATCH.ANY
	{0x3a1, 100, 121, Instruction{0x0, 0x8008200}, Instruction{0x0, 0x8200}, 56},                                   // MATCH.ANY.U64
	{0x3a1, 100, 121, Instruction{0x0, 0x8008200}, Instruction{0x0, 0x0}, 57},                                      // MATCH.ALL
	{0x3a9, 100, 121, Instruction{0x0, 0x8000f00}, Instruction{0x0, 0x100}, 53},                                    // ATOMG.E.CAS.STRONG.GPU
	{0x3a9, 100, 121, Instruction{0x0, 0x8000f00}, Instruction{0x0, 0x500}, 58},                                    // ATOMG.E.CAS.64.STRONG.GPU
	{0x3aa, 100, 121, Instruction{0x0, 0x8000100}, Instruction{0x0, 0x100}, 59},                                    // QSPC.E.S
	{0x3ba, 100, 121, Instruction{0x0, 0x821e400}, Instruction{0x0, 0x8000000}, 60},                                // UBLKCP.S.G
	{0x3c4, 100, 121, Instruction{0x0, 0x8008000}, Instruction{0x0, 0x0}, 40},                                      // REDUX.OR
	{0x3c4, 100, 121, Instruction{0x0, 0x8010000}, Instruction{0x0, 0x0}, 40},                                      // REDUX.OR
	{0x402, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 61},                                      // MOV.64
	{0x407, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 62},                                      // SEL.64
	{0x421, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 55},                                      // FADD
	{0x423, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 63},                                      // FFMA
	{0x424, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x0}, 63},                                      // IMAD.U32
	{0x429, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 64},                                      // DADD
	{0x42a, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 65},                                      // DSETP.NEU.AND
	{0x42b, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 20},                                      // DFMA
	{0x431, 100, 121, Instruction{0x0, 0x8008400}, Instruction{0x0, 0x0}, 63},                                      // HFMA2
	{0x433, 100, 121, Instruction{0x0, 0x8000401}, Instruction{0x0, 0x0}, 66},                                      // HSET2.BF.EQ.AND
	{0x434, 100, 121, Instruction{0x0, 0x8000001}, Instruction{0x0, 0x0}, 67},                                      // HSETP2.GEU.AND
	{0x446, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 68},                                      // VIADDMNMX
	{0x482, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 69},                                // UMOV.64
	{0x4a4, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x8000000}, 70},                                // UIMAD
	{0x547, 100, 121, Instruction{0x3f0000000, 0x1fff87c0000}, Instruction{0x100000000, 0x8000000}, 71},            // BRA.U
	{0x589, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 9},                                       // SHFL.IDX
	{0x58d, 100, 121, Instruction{0x0, 0x8800e00}, Instruction{0x0, 0x800000}, 72},                                 // ATOMS.CAST.SPIN
	{0x58d, 100, 121, Instruction{0x0, 0x8800e00}, Instruction{0x0, 0x800400}, 73},                                 // ATOMS.CAST.SPIN.64
	{0x5a7, 100, 121, Instruction{0x0, 0x8003000}, Instruction{0x0, 0x8001000}, 74},                                // SYNCS.PHASECHK.TRANS64.TRYWAIT
	{0x5ab, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 75},                                      // CGAERRBAR
	{0x5b2, 100, 121, Instruction{0x0, 0x8000300}, Instruction{0x0, 0x8000100}, 76},                                // SYNCS.EXCH.64
	{0x607, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 77},                                      // SEL.64
	{0x7ac, 100, 121, Instruction{0x0, 0x8030600}, Instruction{0x0, 0x8000000}, 78},                                // LDCU
	{0x7ac, 100, 121, Instruction{0x0, 0x8030a00}, Instruction{0x0, 0x8000000}, 78},                                // LDCU.U8
	{0x7ac, 100, 121, Instruction{0x0, 0x8030c00}, Instruction{0x0, 0x8000000}, 78},                                // LDCU.S8
	{0x7ac, 100, 121, Instruction{0x0, 0x8030e00}, Instruction{0x0, 0x8000a00}, 79},                                // LDCU.64
	{0x7ac, 100, 121, Instruction{0x0, 0x8030e00}, Instruction{0x0, 0x8000c00}, 80},                                // LDCU.128
	{0x802, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 48},                                      // MOV
	{0x803, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 55},                                      // P2R
	{0x804, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 81},                                      // R2P
	{0x805, 100, 121, Instruction{0x0, 0x8010000}, Instruction{0x0, 0x0}, 48},                                      // CS2R.32
	{0x805, 100, 121, Instruction{0x0, 0x8010000}, Instruction{0x0, 0x10000}, 61},                                  // CS2R
	{0x806, 100, 121, Instruction{0x0, 0x8000200}, Instruction{0x0, 0x0}, 82},                                      // VOTE.ANY
	{0x807, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 66},                                      // SEL
	{0x808, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 66},                                      // FSEL
	{0x809, 100, 121, Instruction{0x0, 0x8000002}, Instruction{0x0, 0x0}, 66},                                      // FMNMX
	{0x80b, 100, 121, Instruction{0x0, 0x8000800}, Instruction{0x0, 0x0}, 67},                                      // FSETP.GEU.AND
	{0x80c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x100}, 83},                                    // ISETP.GT.AND.EX
	{0x80c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x0}, 67},                                      // ISETP.GE.AND
	{0x80c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x10000}, 65},                                  // ISETP.NE.S64.AND
	{0x810, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x0}, 84},                                      // IADD3
	{0x810, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x400}, 85},                                    // IADD3.X
	{0x811, 100, 121, Instruction{0x0, 0x8010600}, Instruction{0x0, 0x0}, 57},                                      // LEA
	{0x811, 100, 121, Instruction{0x0, 0x8010600}, Instruction{0x0, 0x10000}, 86},                                  // LEA.HI
	{0x812, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 87},                                      // LOP3.LUT
	{0x816, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 63},                                      // PRMT
	{0x819, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 63},                                      // SHF.R.S32.HI
	{0x81c, 100, 121, Instruction{0x0, 0x8000008}, Instruction{0x0, 0x0}, 88},                                      // PLOP3.LUT
	{0x81c, 100, 121, Instruction{0x0, 0x8000008}, Instruction{0x0, 0x8}, 89},                                      // PLOP3.LUT
	{0x820, 100, 121, Instruction{0x0, 0x8401000}, Instruction{0x0, 0x400000}, 55},                                 // FMUL.RZ
	{0x823, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 63},                                      // FFMA
	{0x824, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x0}, 63},                                      // IMAD.U32
	{0x824, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x400}, 68},                                    // IMAD.X
	{0x825, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x0}, 90},                                      // IMAD.WIDE.U32
	{0x825, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x400}, 91},                                    // IMAD.WIDE.U32.X
	{0x827, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x0}, 92},                                      // IMAD.HI.U32
	{0x828, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 64},                                      // DMUL
	{0x82b, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 20},                                      // DFMA
	{0x82f, 100, 121, Instruction{0x0, 0x0}, Instruction{0x0, 0x0}, 93},                                            // ELECT
	{0x831, 100, 121, Instruction{0x0, 0x802c400}, Instruction{0x0, 0x0}, 63},                                      // HFMA2
	{0x835, 100, 121, Instruction{0x0, 0x8000600}, Instruction{0x0, 0x200}, 94},                                    // IADD.64
	{0x836, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 55},                                      // VIADD
	{0x846, 100, 121, Instruction{0x0, 0x1fff87fff00}, Instruction{0x0, 0x100}, 68},                                // VIADDMNMX
	{0x848, 100, 121, Instruction{0x0, 0x87e0000}, Instruction{0x0, 0x7e0000}, 66},                                 // VIMNMX
	{0x84a, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 95},                                // UVIMNMX.U32
	{0x882, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 96},                                      // UMOV
	{0x886, 100, 121, Instruction{0x0, 0x8000200}, Instruction{0x0, 0x0}, 97},                                      // VOTEU.ANY
	{0x887, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 95},                                // USEL
	{0x88c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x8000000}, 98},                                // UISETP.LT.U32.AND
	{0x890, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x8000000}, 99},                                // UIADD3
	{0x891, 100, 121, Instruction{0x0, 0x8010600}, Instruction{0x0, 0x8010000}, 100},                               // ULEA.HI
	{0x892, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 101},                               // ULOP3.LUT
	{0x896, 100, 121, Instruction{0x0, 0x8000100}, Instruction{0x0, 0x8000000}, 70},                                // UPRMT
	{0x897, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x8000000}, 102},                               // UIADD3.64
	{0x899, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 70},                                // USHF.L.U32
	{0x89b, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 78},                                // UBMSK
	{0x89c, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 103},                                     // UPLOP3.LUT
	{0x8a4, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x8000000}, 70},                                // UIMAD
	{0x8cb, 100, 121, Instruction{0x0, 0x8010000}, Instruction{0x0, 0x0}, 96},                                      // CS2UR.32
	{0x8cb, 100, 121, Instruction{0x0, 0x8010000}, Instruction{0x0, 0x10000}, 69},                                  // CS2UR
	{0x908, 100, 121, Instruction{0x0, 0x8002300}, Instruction{0x0, 0x0}, 48},                                      // MUFU.RCP64H
	{0x918, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 75},                                      // NOP
	{0x919, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 48},                                      // S2R
	{0x91a, 100, 121, Instruction{0x200000000000, 0x8000000}, Instruction{0x0, 0x0}, 75},                           // DEPBAR.LE
	{0x91b, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 104},                                     // ENDCOLLECTIVE
	{0x941, 100, 121, Instruction{0xfffffffffff00000, 0x1fff87ffcff}, Instruction{0x0, 0x0}, 104},                  // BSYNC
	{0x942, 100, 121, Instruction{0xfffffffffff00000, 0x1fff87ffcff}, Instruction{0x0, 0x0}, 104},                  // BREAK
	{0x945, 100, 121, Instruction{0xfff00000, 0x1fff87ffcff}, Instruction{0x0, 0x0}, 104},                          // BSSY
	{0x946, 100, 121, Instruction{0xffffffffffff0000, 0x1fff87fffff}, Instruction{0x0, 0x0}, 104},                  // YIELD
	{0x947, 100, 121, Instruction{0x3ff000000, 0x1fff87c0000}, Instruction{0x0, 0x0}, 104},                         // BRA
	{0x947, 100, 121, Instruction{0x200000000, 0x1fff87c0000}, Instruction{0x200000000, 0x8000000}, 105},           // BRA.DIV, BRA.CONV
	{0x948, 100, 121, Instruction{0x3ff000000, 0x1fff83c0000}, Instruction{0x0, 0x0}, 104},                         // WARPSYNC.ALL
	{0x949, 100, 121, Instruction{0x300000000, 0x1fff87c0000}, Instruction{0x0, 0x0}, 106},                         // BRX
	{0x94d, 100, 121, Instruction{0xffffffffffff0000, 0x1fff87fffff}, Instruction{0x0, 0x0}, 104},                  // EXIT
	{0x958, 100, 121, Instruction{0x300000000, 0x1fff87c0000}, Instruction{0x0, 0x8000000}, 107},                   // BRXU
	{0x95c, 100, 121, Instruction{0xffff0000, 0x1ffffffffff}, Instruction{0x0, 0x300000}, 75},                      // BPT.TRAP
	{0x95d, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 104},                                     // NANOSLEEP
	{0x980, 100, 121, Instruction{0x0, 0xc000f07}, Instruction{0x0, 0xc000900}, 108},                               // LD.E
	{0x980, 100, 121, Instruction{0x0, 0xc000f07}, Instruction{0x0, 0xc000b00}, 109},                               // LD.E.64.STRONG.GPU
	{0x980, 100, 121, Instruction{0x0, 0xc000f07}, Instruction{0x0, 0xc000d00}, 110},                               // LD.E.128.STRONG.GPU
	{0x981, 100, 121, Instruction{0x0, 0xc400707}, Instruction{0x0, 0xc000100}, 111},                               // LDG.E
	{0x981, 100, 121, Instruction{0x0, 0xc400907}, Instruction{0x0, 0xc000100}, 111},                               // LDG.E.S8
	{0x981, 100, 121, Instruction{0x0, 0xc400f07}, Instruction{0x0, 0xc000b00}, 112},                               // LDG.E.64
	{0x981, 100, 121, Instruction{0x0, 0xc400f07}, Instruction{0x0, 0xc000d00}, 113},                               // LDG.E.128.CONSTANT
	{0x983, 100, 121, Instruction{0x0, 0xe00}, Instruction{0x0, 0x800}, 55},                                        // LDL
	{0x983, 100, 121, Instruction{0x0, 0xe00}, Instruction{0x0, 0xa00}, 114},                                       // LDL.64
	{0x983, 100, 121, Instruction{0x0, 0xe00}, Instruction{0x0, 0xc00}, 115},                                       // LDL.128
	{0x984, 100, 121, Instruction{0x0, 0x8000600}, Instruction{0x0, 0x0}, 55},                                      // LDS
	{0x984, 100, 121, Instruction{0x0, 0x8000a00}, Instruction{0x0, 0x0}, 55},                                      // LDS.U8
	{0x984, 100, 121, Instruction{0x0, 0x8000c00}, Instruction{0x0, 0x0}, 55},                                      // LDS.S8
	{0x984, 100, 121, Instruction{0x0, 0x8000600}, Instruction{0x0, 0x8000000}, 116},                               // LDS
	{0x984, 100, 121, Instruction{0x0, 0x8000a00}, Instruction{0x0, 0x8000200}, 116},                               // LDS.S8
	{0x984, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0xa00}, 114},                                   // LDS.64
	{0x984, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0x8000a00}, 117},                               // LDS.64
	{0x984, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0xc00}, 115},                                   // LDS.128
	{0x984, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0x8000c00}, 118},                               // LDS.128
	{0x985, 100, 121, Instruction{0x0, 0xc000f00}, Instruction{0x0, 0xc000900}, 119},                               // ST.E
	{0x985, 100, 121, Instruction{0x0, 0xc000f00}, Instruction{0x0, 0xc000b00}, 120},                               // ST.E.64.STRONG.GPU
	{0x985, 100, 121, Instruction{0x0, 0xc000f00}, Instruction{0x0, 0xc000d00}, 121},                               // ST.E.128.STRONG.GPU
	{0x986, 100, 121, Instruction{0x0, 0xc000700}, Instruction{0x0, 0xc000100}, 119},                               // STG.E
	{0x986, 100, 121, Instruction{0x0, 0xc000b00}, Instruction{0x0, 0xc000100}, 119},                               // STG.E.U8
	{0x986, 100, 121, Instruction{0x0, 0xc000f00}, Instruction{0x0, 0xc000b00}, 120},                               // STG.E.64
	{0x986, 100, 121, Instruction{0x0, 0xc000f00}, Instruction{0x0, 0xc000d00}, 121},                               // STG.E.128
	{0x987, 100, 121, Instruction{0x0, 0x8001600}, Instruction{0x0, 0x8000000}, 122},                               // STL
	{0x988, 100, 121, Instruction{0x0, 0x8000600}, Instruction{0x0, 0x8000000}, 122},                               // STS
	{0x988, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0x8000a00}, 123},                               // STS.64
	{0x988, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0x8000c00}, 124},                               // STS.128
	{0x989, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 86},                                      // SHFL.UP
	{0x98a, 100, 121, Instruction{0x8000000000000000, 0x8000d00}, Instruction{0x8000000000000000, 0x8000100}, 125}, // ATOM.E.ADD.STRONG.GPU
	{0x98c, 100, 121, Instruction{0x0, 0xb800e00}, Instruction{0x0, 0x8000000}, 126},                               // ATOMS.ADD
	{0x98c, 100, 121, Instruction{0x0, 0xf800e00}, Instruction{0x0, 0x9000200}, 126},                               // ATOMS.MAX.S32
	{0x98c, 100, 121, Instruction{0x0, 0xf800e00}, Instruction{0x0, 0x9800000}, 126},                               // ATOMS.INC
	{0x98c, 100, 121, Instruction{0x0, 0xf800e00}, Instruction{0x0, 0xa800000}, 126},                               // ATOMS.AND
	{0x98c, 100, 121, Instruction{0x0, 0xf800e00}, Instruction{0x0, 0xc000400}, 127},                               // ATOMS.EXCH.64
	{0x98f, 100, 121, Instruction{0xff000000, 0xc011100}, Instruction{0xff000000, 0x0}, 75},                        // CCTL.IVALL
	{0x98f, 100, 121, Instruction{0x0, 0xc011100}, Instruction{0x0, 0x100}, 128},                                   // CCTL.E.PF2
	{0x992, 100, 121, Instruction{0x0, 0x8004200}, Instruction{0x0, 0x0}, 75},                                      // MEMBAR.SC.CTA
	{0x9a2, 100, 121, Instruction{0x8000000000000000, 0x8801f00}, Instruction{0x8000000000000000, 0x8000100}, 125}, // ATOM.E.ADD.F16x2.RN.STRONG.GPU
	{0x9a2, 100, 121, Instruction{0x8000000000000000, 0x8801f00}, Instruction{0x8000000000000000, 0x8000700}, 125}, // ATOM.E.ADD.BF16x2.RN.STRONG.GPU
	{0x9a3, 100, 121, Instruction{0x8000000000000000, 0x8801f00}, Instruction{0x8000000000000000, 0x8001300}, 125}, // ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU
	{0x9a3, 100, 121, Instruction{0x8000000000000000, 0x8801f00}, Instruction{0x8000000000000000, 0x8001f00}, 129}, // ATOMG.E.ADD.F64.RN.STRONG.GPU
	{0x9a3, 100, 121, Instruction{0x8000000000000000, 0x8801f00}, Instruction{0x8000000000000000, 0x8001700}, 130}, // ATOMG.E.ADD.F32x4.FTZ.RN.STRONG.GPU
	{0x9a7, 100, 121, Instruction{0x0, 0x8403200}, Instruction{0x0, 0x8000000}, 131},                               // SYNCS.ARRIVE.TRANS64.RED.A0TR
	{0x9a8, 100, 121, Instruction{0x8000000000000000, 0xb000d00}, Instruction{0x8000000000000000, 0x8000100}, 125}, // ATOMG.E.ADD.STRONG.GPU
	{0x9a8, 100, 121, Instruction{0x8000000000000000, 0xc000d00}, Instruction{0x8000000000000000, 0x8000100}, 125}, // ATOMG.E.ADD.STRONG.GPU
	{0x9a8, 100, 121, Instruction{0x8000000000000000, 0xb000d00}, Instruction{0x8000000000000000, 0x8000500}, 129}, // ATOMG.E.ADD.64.STRONG.GPU
	{0x9a8, 100, 121, Instruction{0x8000000000000000, 0xd000d00}, Instruction{0x8000000000000000, 0x9000500}, 129}, // ATOMG.E.MAX.64.STRONG.GPU
	{0x9ab, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 75},                                      // ERRBAR
	{0x9af, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 75},                                      // LDGDEPBAR
	{0x9c3, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 96},                                      // S2UR
	{0x9c7, 100, 121, Instruction{0x0, 0x8000100}, Instruction{0x0, 0x8000000}, 132},                               // UCGABAR_ARV
	{0xb1d, 100, 121, Instruction{0x0, 0x800ec00}, Instruction{0x0, 0x0}, 75},                                      // BAR.SYNC.DEFER_BLOCKING
	{0xb1d, 100, 121, Instruction{0x0, 0x800e400}, Instruction{0x0, 0x4000}, 104},                                  // BAR.RED.OR.DEFER_BLOCKING
	{0xb1d, 100, 121, Instruction{0x0, 0x800e800}, Instruction{0x0, 0x4000}, 104},                                  // BAR.RED.AND.DEFER_BLOCKING
	{0xb82, 100, 121, Instruction{0x0, 0x8000600}, Instruction{0x0, 0x0}, 55},                                      // LDC
	{0xb82, 100, 121, Instruction{0x0, 0x8000a00}, Instruction{0x0, 0x0}, 55},                                      // LDC.U8
	{0xb82, 100, 121, Instruction{0x0, 0x8000e00}, Instruction{0x0, 0xa00}, 114},                                   // LDC.64
	{0xc02, 100, 121, Instruction{0x0, 0x9010000}, Instruction{0x0, 0x8000000}, 133},                               // MOV
	{0xc02, 100, 121, Instruction{0x0, 0x9010000}, Instruction{0x0, 0x8010000}, 134},                               // MOV.64
	{0xc07, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 135},                               // SEL
	{0xc0c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x8000100}, 136},                               // ISETP.GT.AND.EX
	{0xc0c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x8000000}, 137},                               // ISETP.GE.U32.AND
	{0xc0c, 100, 121, Instruction{0x0, 0x8010900}, Instruction{0x0, 0x8010000}, 138},                               // ISETP.NE.S64.AND
	{0xc10, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x8000000}, 139},                               // IADD3
	{0xc10, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x8000400}, 140},                               // IADD3.X
	{0xc11, 100, 121, Instruction{0x0, 0x8010600}, Instruction{0x0, 0x8000000}, 141},                               // LEA
	{0xc11, 100, 121, Instruction{0x0, 0x8010600}, Instruction{0x0, 0x8010600}, 142},                               // LEA.HI.X.SX32
	{0xc11, 100, 121, Instruction{0x0, 0x8010600}, Instruction{0x0, 0x8010400}, 143},                               // LEA.HI.X
	{0xc12, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 143},                               // LOP3.LUT
	{0xc17, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x8000400}, 144},                               // IMNMX.U64
	{0xc19, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 145},                               // SHF.R.U32.HI
	{0xc20, 100, 121, Instruction{0x0, 0x8401000}, Instruction{0x0, 0x8400000}, 116},                               // FMUL
	{0xc23, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 145},                               // FFMA
	{0xc24, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x8000000}, 145},                               // IMAD
	{0xc25, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x8000000}, 146},                               // IMAD.WIDE
	{0xc28, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 109},                               // DMUL
	{0xc2b, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 147},                               // DFMA
	{0xc35, 100, 121, Instruction{0x0, 0x8000600}, Instruction{0x0, 0x8000200}, 112},                               // IADD.64
	{0xc36, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 116},                               // VIADD
	{0xc45, 100, 121, Instruction{0x0, 0x830f800}, Instruction{0x0, 0x8201000}, 133},                               // I2FP.F32.S32
	{0xc46, 100, 121, Instruction{0x0, 0x1fff87fff00}, Instruction{0x0, 0x8000100}, 148},                           // VIADDMNMX
	{0xc48, 100, 121, Instruction{0x0, 0x87e0400}, Instruction{0x0, 0x87e0000}, 135},                               // VIMNMX.U32
	{0xc82, 100, 121, Instruction{0x0, 0x8010000}, Instruction{0x0, 0x8000000}, 28},                                // UMOV
	{0xc87, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 149},                               // USEL.64
	{0xd00, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 150},                               // FLO.U32
	{0xd05, 100, 121, Instruction{0x0, 0x8700800}, Instruction{0x0, 0x8200000}, 133},                               // F2I.TRUNC.NTZ
	{0xd06, 100, 121, Instruction{0x0, 0x8103800}, Instruction{0x0, 0x8001000}, 133},                               // I2F.U32.RP
	{0xd08, 100, 121, Instruction{0x0, 0x8002300}, Instruction{0x0, 0x8000000}, 133},                               // MUFU.RSQ64H
	{0xd09, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 133},                               // POPC
	{0xd10, 100, 121, Instruction{0x0, 0x8703800}, Instruction{0x0, 0x8201800}, 151},                               // F2F.F64.F32
	{0xd12, 100, 121, Instruction{0x2000000000000000, 0x8203800}, Instruction{0x0, 0x8001800}, 151},                // I2F.F64.S16
	{0xdc7, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 132},                               // UCGABAR_WAIT
	{0xe21, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 116},                               // FADD
	{0xe23, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 145},                               // FFMA
	{0xe24, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x8000000}, 145},                               // IMAD.U32
	{0xe24, 100, 121, Instruction{0x0, 0x8001400}, Instruction{0x0, 0x8000400}, 148},                               // IMAD.X
	{0xe25, 100, 121, Instruction{0x0, 0x8000400}, Instruction{0x0, 0x8000000}, 152},                               // IMAD.WIDE.U32
	{0xe29, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 109},                               // DADD
	{0xe2a, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 138},                               // DSETP.GE.AND
	{0xe2b, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x8000000}, 147},                               // DFMA
	{0xe30, 100, 121, Instruction{0x0, 0x8004000}, Instruction{0x0, 0x8000000}, 116},                               // HADD2.BF16_V2
	{0xe31, 100, 121, Instruction{0x0, 0x840c000}, Instruction{0x0, 0x8000000}, 145},                               // HFMA2.BF16_V2
	{0xe34, 100, 121, Instruction{0x0, 0x8000001}, Instruction{0x0, 0x8000000}, 137},                               // HSETP2.BF16_V2.GT.AND
	{0xf60, 100, 121, Instruction{0xf600000000000000, 0xb01af00}, Instruction{0x2000000000000000, 0x8000100}, 153}, // TEX.LL
	{0xf60, 100, 121, Instruction{0xf600000000000000, 0xb01af00}, Instruction{0x4000000000000000, 0x8000100}, 154}, // TEX.LL
	{0xf60, 100, 121, Instruction{0xf600000000000000, 0xb01af00}, Instruction{0x2000000000000000, 0x8000300}, 155}, // TEX.LL
	{0xf60, 100, 121, Instruction{0xf600000000000000, 0xb01af00}, Instruction{0x2000000000000000, 0x8000f00}, 155}, // TEX.LL
	{0xf60, 100, 121, Instruction{0xd600000000000000, 0xb01af00}, Instruction{0x4000000000000000, 0x8000f00}, 156}, // TEX.LL
	{0xf60, 100, 121, Instruction{0xf600000000000000, 0xb01af00}, Instruction{0xa000000000000000, 0x8000f00}, 156}, // TEX.LL
	{0xf60, 100, 121, Instruction{0xf600000000000000, 0xb01af00}, Instruction{0xe000000000000000, 0x8000f00}, 157}, // TEX.LL
	{0xf63, 100, 121, Instruction{0xf000000000000000, 0x8018000}, Instruction{0x2000000000000000, 0x8000000}, 155}, // TLD4.G
	{0xf66, 100, 121, Instruction{0xe200ff0000000000, 0x901c000}, Instruction{0xff0000000000, 0x8000000}, 158},     // TLD.LZ
	{0xf6c, 100, 121, Instruction{0xe300000000000000, 0x9818000}, Instruction{0x2000000000000000, 0x8000000}, 159}, // TXD
	{0xf89, 100, 121, Instruction{0x0, 0x8000000}, Instruction{0x0, 0x0}, 57},                                      // SHFL.DOWN
	{0xf8c, 100, 121, Instruction{0x0, 0xf800e00}, Instruction{0x0, 0xd800000}, 160},                               // ATOMS.POPC.INC.32
	{0xf99, 100, 121, Instruction{0xd800000000000000, 0x8000e00}, Instruction{0x1000000000000000, 0x8000800}, 161}, // SULD.D.BA.1D.STRONG.SM.TRAP
	{0xf99, 100, 121, Instruction{0xd800000000000000, 0x8000e00}, Instruction{0x4000000000000000, 0x8000000}, 162}, // SULD.D.BA.2D.U8.STRONG.SM.IGN
	{0xf99, 100, 121, Instruction{0xd800000000000000, 0x8000e00}, Instruction{0x5000000000000000, 0x8000800}, 162}, // SULD.D.BA.2D.STRONG.SM.TRAP
	{0xf99, 100, 121, Instruction{0xd800000000000000, 0x8000e00}, Instruction{0x8800000000000000, 0x8000800}, 163}, // SULD.D.BA.3D.STRONG.SM
	{0xf99, 100, 121, Instruction{0xd800000000000000, 0x8000e00}, Instruction{0x5000000000000000, 0x8000c00}, 164}, // SULD.D.BA.2D.128.STRONG.SM.TRAP
	{0xf9d, 100, 121, Instruction{0xcc00000000000000, 0x8000e00}, Instruction{0x0, 0x8000800}, 165},                // SUST.D.BA.1D.STRONG.SM.TRAP
	{0xf9d, 100, 121, Instruction{0xcc00000000000000, 0x8000e00}, Instruction{0x4000000000000000, 0x8000c00}, 166}, // SUST.D.BA.2D.128.STRONG.SM.TRAP
	{0xf9d, 100, 121, Instruction{0xcc00000000000000, 0x8000e00}, Instruction{0x8000000000000000, 0x8000800}, 167}, // SUST.D.BA.2D_ARRAY.STRONG.SM.TRAP
	{0xf9d, 100, 121, Instruction{0xcc00000000000000, 0x8000e00}, Instruction{0x8000000000000000, 0x8000a00}, 168}, // SUST.D.BA.3D.64.STRONG.SM.TRAP
	{0xfae, 100, 121, Instruction{0x0, 0x8080400}, Instruction{0x0, 0x8080000}, 169},                               // LDGSTS.E
	{0xfae, 100, 121, Instruction{0x0, 0x8080800}, Instruction{0x0, 0x8080000}, 169},                               // LDGSTS.E
}
