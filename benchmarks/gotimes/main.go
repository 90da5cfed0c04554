// Command gotimes times functions of core for benchmarks/run.py. It reads requests from standard input and answers on
// standard output, a JSON object a line each: {"do": "prepare", "op": ..., ...} chooses what is timed, {"do": "time",
// "loops": n} answers with the seconds of n calls. The first line it writes tells what it is. It ends with its input.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"

	"trnsci/core/kernel"
)

// request is what one line of the input says. Shapes are those of the BLAS: m x n results, k inner.
type request struct {
	Do      string `json:"do"`
	Loops   int    `json:"loops"`
	Op      string `json:"op"`
	Dtype   string `json:"dtype"`
	M       int    `json:"m"`
	N       int    `json:"n"`
	K       int    `json:"k"`
	TransA  string `json:"trans_a"`
	TransB  string `json:"trans_b"`
	Side    string `json:"side"`
	Uplo    string `json:"uplo"`
	threads int
}

// answer is a line of the output.
type answer struct {
	Version           string  `json:"version,omitempty"`
	Kernel            string  `json:"kernel,omitempty"`
	Microarchitecture string  `json:"microarchitecture,omitempty"`
	Seconds           float64 `json:"seconds"`
	Skip              string  `json:"skip,omitempty"`  // why this cannot be timed
	Error             string  `json:"error,omitempty"` // why timing it failed
}

func main() {
	threads := flag.Int("threads", 1, "threads that a call may use")
	flag.Parse()
	if err := serve(*threads); err != nil {
		fmt.Fprintln(os.Stderr, "gotimes:", err)
		os.Exit(1)
	}
}

func serve(threads int) error {
	out := json.NewEncoder(os.Stdout)
	facts := answer{
		Version:           runtime.Version(),
		Kernel:            kernel.Best().String(),
		Microarchitecture: kernel.Microarchitecture(),
	}
	if err := out.Encode(facts); err != nil {
		return err
	}
	var current job
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		r := request{threads: threads}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		var a answer
		switch r.Do {
		case "prepare":
			current, a.Skip = prepare(&r)
		case "time":
			seconds, err := current.time(r.Loops)
			a.Seconds = seconds
			if err != nil {
				a.Error = err.Error()
			}
		default:
			return fmt.Errorf("unknown request %q", r.Do)
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
	return lines.Err()
}

func prepare(r *request) (job, string) {
	makeJob, ok := jobs[r.Op+" "+r.Dtype]
	if !ok {
		return job{}, "not timed from Go"
	}
	release() // of the job before
	return makeJob(r), ""
}
