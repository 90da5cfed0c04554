package graph_test

import (
	"fmt"

	"trnsci/trnbackend/graph"
)

func Example() {
	b := graph.NewBuilder("scaled product")
	x := b.Parameter("x", graph.Of(graph.F32, 4, 8))
	y := b.Parameter("y", graph.Of(graph.F32, 8, 2))
	two := b.Add(b.Scalar(graph.F32, 1), b.Scalar(graph.F32, 1)) // folded
	b.Result("z", b.Multiply(b.MatMul(x, y), b.Broadcast(two, []int{4, 2})))
	g, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(g.Text())
	fmt.Println(g.Cost())
	// Output:
	// graph "scaled product"
	// %0 = parameter f32[4,8] "x"
	// %1 = parameter f32[8,2] "y"
	// %2 = constant f32[] {2}
	// %3 = dot f32[4,2] %0 %1 contract=[1][0] batch=[][]
	// %4 = broadcast f32[4,2] %2 dims=[]
	// %5 = multiply f32[4,2] %3 %4
	// result "z" %5
	// {136 260 96}
}
