package hlo

import (
	"google.golang.org/protobuf/encoding/protowire"

	"trnsci/trnbackend/graph"
)

// Numbers of the fields in use, by message of the schema.
const (
	moduleName         protowire.Number = 1
	moduleEntryName    protowire.Number = 2
	moduleComputations protowire.Number = 3
	moduleProgram      protowire.Number = 4
	moduleEntryID      protowire.Number = 6
	moduleAliases      protowire.Number = 8

	aliasesEntries protowire.Number = 1
	aliasOutput    protowire.Number = 1
	aliasParameter protowire.Number = 2
	aliasKind      protowire.Number = 4

	programParameters protowire.Number = 1
	programResult     protowire.Number = 2
	programNames      protowire.Number = 3

	computationName         protowire.Number = 1
	computationInstructions protowire.Number = 2
	computationProgram      protowire.Number = 4
	computationID           protowire.Number = 5
	computationRoot         protowire.Number = 6

	instructionName       protowire.Number = 1
	instructionOpcode     protowire.Number = 2
	instructionShape      protowire.Number = 3
	instructionLiteral    protowire.Number = 8
	instructionParameter  protowire.Number = 9
	instructionDims       protowire.Number = 14
	instructionRanges     protowire.Number = 17
	instructionPadding    protowire.Number = 21
	instructionDot        protowire.Number = 30
	instructionGather     protowire.Number = 33
	instructionSliceSizes protowire.Number = 34
	instructionID         protowire.Number = 35
	instructionOperands   protowire.Number = 36
	instructionCalls      protowire.Number = 38
	instructionPrecision  protowire.Number = 51
	instructionDirection  protowire.Number = 63
	instructionAttributes protowire.Number = 68

	attributesMap  protowire.Number = 1
	attributeKey   protowire.Number = 1
	attributeValue protowire.Number = 2

	shapeType   protowire.Number = 2
	shapeDims   protowire.Number = 3
	shapeTuple  protowire.Number = 4
	shapeLayout protowire.Number = 5

	layoutOrder         protowire.Number = 1
	layoutTailAlignment protowire.Number = 16

	literalShape protowire.Number = 1
	literalPred  protowire.Number = 2
	literalS32   protowire.Number = 4
	literalF32   protowire.Number = 8
	literalF64   protowire.Number = 9
	literalBF16  protowire.Number = 13

	rangeStart  protowire.Number = 1
	rangeLimit  protowire.Number = 2
	rangeStride protowire.Number = 3

	paddingConfigDims protowire.Number = 1
	paddingBefore     protowire.Number = 1
	paddingBehind     protowire.Number = 2

	dotContract0 protowire.Number = 1
	dotContract1 protowire.Number = 2
	dotBatch0    protowire.Number = 3
	dotBatch1    protowire.Number = 4

	gatherOffset    protowire.Number = 1
	gatherCollapsed protowire.Number = 2
	gatherStarts    protowire.Number = 3
	gatherIndex     protowire.Number = 4

	precisionOperands protowire.Number = 1
)

// elementType is the encoding of a type in shapes and in literals.
type elementType struct {
	number  int              // PrimitiveType
	literal protowire.Number // the field of a literal that holds its elements
}

var elementTypes = map[graph.DType]elementType{
	graph.Pred: {1, literalPred},
	graph.S32:  {4, literalS32},
	graph.F32:  {11, literalF32},
	graph.F64:  {12, literalF64},
	graph.BF16: {16, literalBF16},
}

// tupleType is the PrimitiveType of tuples.
const tupleType = 13

// tailAlignment is the alignment of arrays without padding.
const tailAlignment = 1
