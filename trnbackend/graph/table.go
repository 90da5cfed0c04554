package graph

import "math"

func init() {
	ops = [opCount]opEntry{
		Parameter: {name: "parameter", attributes: Input{}, infer: (*Node).inferSource, cost: movesNone},
		Constant:  {name: "constant", attributes: Literal{}, infer: (*Node).inferConstant, cost: movesNone},
		Iota:      {name: "iota", attributes: Axes{}, infer: (*Node).inferIota},

		Negate: unaryEntry("negate", DType.IsNumber, "%s has no arithmetic", func(x float64) float64 { return -x }),
		Abs:    unaryEntry("abs", DType.IsNumber, "%s has no arithmetic", math.Abs),
		Sign:   unaryEntry("sign", DType.IsNumber, "%s has no arithmetic", sign),
		Exp:    unaryEntry("exp", DType.IsFloat, notFloat, math.Exp),
		Log:    unaryEntry("log", DType.IsFloat, notFloat, math.Log),
		Sqrt:   unaryEntry("sqrt", DType.IsFloat, notFloat, math.Sqrt),
		Rsqrt:  unaryEntry("rsqrt", DType.IsFloat, notFloat, func(x float64) float64 { return 1 / math.Sqrt(x) }),
		Tanh:   unaryEntry("tanh", DType.IsFloat, notFloat, math.Tanh),
		Not:    unaryEntry("not", isPred, "%s is not a predicate", func(x float64) float64 { return 1 - x }),
		Convert: {
			name: "convert", class: unaryClass, operands: 1, infer: (*Node).inferConvert, flops: ofResult,
			unary: same, element: elementOfUnary,
		},

		Add: binaryEntry("add",
			func(x, y float64) float64 { return x + y }, func(x, y int32) float64 { return float64(x + y) }),
		Subtract: binaryEntry("subtract",
			func(x, y float64) float64 { return x - y }, func(x, y int32) float64 { return float64(x - y) }),
		Multiply: binaryEntry("multiply",
			func(x, y float64) float64 { return x * y }, func(x, y int32) float64 { return float64(x * y) }),
		Divide:  binaryEntry("divide", func(x, y float64) float64 { return x / y }, divideIntegers),
		Maximum: binaryEntry("maximum", maximum, func(x, y int32) float64 { return float64(max(x, y)) }),
		Minimum: binaryEntry("minimum", minimum, func(x, y int32) float64 { return float64(min(x, y)) }),
		And:     predicateEntry("and", func(x, y float64) float64 { return x * y }),
		Or:      predicateEntry("or", math.Max),
		Compare: {
			name: "compare", class: binaryClass, operands: 2, attributes: EQ, infer: (*Node).inferCompare,
			flops: ofResult, element: elementOfCompare,
		},

		Select: {name: "select", operands: 3, infer: inferSelect, flops: ofResult, element: elementOfSelect},
		Dot:    {name: "dot", operands: 2, attributes: Dimensions{}, infer: (*Node).inferDot, flops: ofDot},

		ReduceSum: reduceEntry("reduce-sum", Add),
		ReduceMax: reduceEntry("reduce-max", Maximum),
		ReduceMin: reduceEntry("reduce-min", Minimum),

		Broadcast: {name: "broadcast", operands: 1, attributes: Axes{}, infer: (*Node).inferBroadcast},
		Reshape: {
			name: "reshape", operands: 1, infer: (*Node).inferReshape, cost: movesNone, element: elementOfReshape,
		},
		Transpose: {name: "transpose", operands: 1, attributes: Axes{}, infer: (*Node).inferTranspose},
		Slice:     {name: "slice", operands: 1, attributes: Ranges{}, infer: (*Node).inferSlice, cost: movesPart},
		DynamicSlice: {
			name: "dynamic-slice", operands: 1, variadic: true, infer: (*Node).inferDynamicSlice, cost: movesPart,
		},
		DynamicUpdateSlice: {
			name: "dynamic-update-slice", operands: 2, variadic: true, infer: inferDynamicUpdate,
		},
		GatherRows: {name: "gather-rows", operands: 2, infer: inferGather, cost: movesPart},
		Concatenate: {
			name: "concatenate", operands: 1, variadic: true, attributes: Axes{}, infer: (*Node).inferConcatenate,
		},
		Pad: {name: "pad", operands: 2, attributes: Padding{}, infer: (*Node).inferPad},
	}
}

const notFloat = "%s is not of a floating-point type"

func isPred(d DType) bool { return d == Pred }

func same(x float64) float64 { return x }

// unaryEntry returns the entry of an operation on one operand of a type that fits, or the error is the message.
func unaryEntry(name string, fits func(DType) bool, message string, f func(x float64) float64) opEntry {
	return opEntry{
		name: name, class: unaryClass, operands: 1, infer: inferSame(fits, message), flops: ofResult,
		unary: f, element: elementOfUnary,
	}
}

func binaryEntry(name string, f func(x, y float64) float64, integer func(x, y int32) float64) opEntry {
	return opEntry{
		name: name, class: binaryClass, operands: 2, infer: inferPair(DType.IsNumber, "%s has no arithmetic"),
		flops: ofResult, binary: f, integer: integer, element: elementOfBinary,
	}
}

func predicateEntry(name string, f func(x, y float64) float64) opEntry {
	return opEntry{
		name: name, class: binaryClass, operands: 2, infer: inferPair(isPred, "%s is not a predicate"), flops: ofResult,
		binary: f, element: elementOfBinary,
	}
}

func reduceEntry(name string, pair Op) opEntry {
	return opEntry{
		name: name, class: reduceClass, operands: 1, attributes: Axes{}, infer: (*Node).inferReduce, flops: ofOperand,
		pair: pair,
	}
}
