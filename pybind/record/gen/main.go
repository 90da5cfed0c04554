// Gen writes both sides of the records of pybind/record/calls*.go: the Go decoders and the Python functions that make
// the records. Run it in the repository's root or in pybind/record. Its optional argument is a folder for both files.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

const python = "_records.py"

// field is a field of a call.
type field struct {
	name, kind         string // the name in Go, and its type there
	dtypes             string // of an array
	absent             bool   // whether the array may be absent
	defaultValue, path string // default in Python; selector of the field in the decoder
}

// call is a struct that has a record.
type call struct {
	name, doc string
	source    string   // the file that has it
	functions []string // names in pybind, unless it is one function with the struct's name
	fields    []field
	embedded  bool // in other calls
}

// dtypeSets maps tags to constants.
var dtypeSets = map[string]string{
	"": "computing", "real": "realOnly", "complex": "complexOnly", "float64": "onlyFloat64", "complex128": "onlyC128",
	"int64": "onlyInt64", "bool": "onlyBool",
}

// scalars holds the types that come first in a record: the reader's method, the letters of Python's struct, Python's
// type.
var scalars = map[string][3]string{
	"int": {"integer", "q", "int"}, "bool": {"boolean", "q", "bool"}, "float64": {"float", "d", "float"},
	"complex128": {"complex", "2d", "complex"},
}

func main() {
	log.SetFlags(0)
	folder := "pybind/record"
	if _, err := os.Stat(sources[0]); err == nil {
		folder = "."
	}
	goOut, pyOut := folder, filepath.Join(folder, "../../python/trnsci/_core")
	if len(os.Args) > 1 {
		goOut, pyOut = os.Args[1], os.Args[1]
	}
	calls, err := read(folder)
	if err != nil {
		log.Fatal(err)
	}
	written, err := outputs(calls, goOut, pyOut)
	if err != nil {
		log.Fatal(err)
	}
	for path, content := range written {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// outputs returns what the files of both folders have to contain, by path.
func outputs(calls []*call, goFolder, pyFolder string) (map[string][]byte, error) {
	contents := map[string][]byte{filepath.Join(pyFolder, python): writePython(calls)}
	for _, source := range sources {
		decoders, err := format.Source(writeGo(calls, source))
		if err != nil {
			return nil, err
		}
		contents[filepath.Join(goFolder, decodersOf(source))] = decoders
	}
	return contents, nil
}

// sources hold the structs; embedded ones stand before those that embed them.
var sources = []string{"calls.go", "calls_factor.go", "calls_fitting.go"}

// decodersOf returns the name of the file with the decoders of a source's structs.
func decodersOf(source string) string {
	return "decode" + strings.TrimSuffix(strings.TrimPrefix(source, "calls"), ".go") + "_gen.go"
}

// read returns the structs of the sources in a folder, in order.
func read(folder string) ([]*call, error) {
	var declarations []ast.Decl
	from := map[ast.Decl]string{}
	for _, source := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, source), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		declarations = append(declarations, file.Decls...)
		for _, d := range file.Decls {
			from[d] = source
		}
	}
	var calls []*call
	byName := map[string]*call{}
	for _, declared := range declarations {
		d, ok := declared.(*ast.GenDecl)
		if !ok || d.Tok != token.TYPE {
			continue
		}
		spec := d.Specs[0].(*ast.TypeSpec)
		c := &call{name: spec.Name.Name, source: from[declared]}
		c.doc, c.functions = documentation(d.Doc.Text())
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			if len(f.Names) == 0 {
				inner := byName[f.Type.(*ast.Ident).Name]
				inner.embedded = true
				for _, of := range inner.fields {
					of.path = inner.name + "." + of.path
					c.fields = append(c.fields, of)
				}
				continue
			}
			c.fields = append(c.fields, newField(f))
		}
		calls, byName[c.name] = append(calls, c), c
	}
	return calls, nil
}

var functionsLine = regexp.MustCompile(`(?s)^Functions: (.*?)\.\n\n`)

func documentation(text string) (doc string, functions []string) {
	if m := functionsLine.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		functions = regexp.MustCompile(`\w+`).FindAllString(m[1], -1)
	}
	return strings.Join(strings.Fields(text), " "), functions
}

func newField(f *ast.Field) field {
	tag := reflect.StructTag("")
	if f.Tag != nil {
		text, _ := strconv.Unquote(f.Tag.Value)
		tag = reflect.StructTag(text)
	}
	var kind bytes.Buffer
	format.Node(&kind, token.NewFileSet(), f.Type)
	name := f.Names[0].Name
	set, ok := dtypeSets[tag.Get("dtype")]
	if !ok {
		log.Fatalf("field %s: no dtypes %q", name, tag.Get("dtype"))
	}
	return field{name: name, kind: kind.String(), dtypes: set, absent: tag.Get("absent") != "",
		defaultValue: tag.Get("default"), path: name}
}

// inOrder calls each for the fields in the order of the record.
func inOrder(c *call, each func(field)) {
	groups := []func(kind string) bool{
		func(kind string) bool { _, ok := scalars[kind]; return ok },
		func(kind string) bool { return kind == "*Array" },
		func(kind string) bool { return kind == "[]*Array" },
		func(kind string) bool { return kind == "string" },
	}
	count := 0
	for _, in := range groups {
		for _, f := range c.fields {
			if in(f.kind) {
				each(f)
				count++
			}
		}
	}
	if count != len(c.fields) {
		log.Fatalf("%s has a field of a type that records do not have", c.name)
	}
}

func writeGo(calls []*call, source string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "// Code generated by pybind/record/gen from %s. DO NOT EDIT.\n\npackage record\n", source)
	for _, c := range calls {
		if c.embedded || c.source != source {
			continue
		}
		fmt.Fprintf(&out, "\nfunc (c *%s) decode(r *reader) {\n", c.name)
		inOrder(c, func(f field) {
			snake := snakeCase(f.name)
			switch {
			case f.kind == "*Array" && f.absent:
				fmt.Fprintf(&out, "c.%s = r.optionalArray(%q, %s)\n", f.path, snake, f.dtypes)
			case f.kind == "*Array":
				fmt.Fprintf(&out, "c.%s = r.array(%q, %s)\n", f.path, snake, f.dtypes)
			case f.kind == "[]*Array":
				fmt.Fprintf(&out, "c.%s = r.arrays(%q, %s)\n", f.path, snake, f.dtypes)
			case f.kind == "string":
				fmt.Fprintf(&out, "c.%s = r.text(%q)\n", f.path, snake)
			default:
				fmt.Fprintf(&out, "c.%s = r.%s()\n", f.path, scalars[f.kind][0])
			}
		})
		out.WriteString("}\n")
	}
	return out.Bytes()
}

const pythonHead = `"""The records of calls, made by pybind/record/gen from pybind/record/calls.go: do not edit.

Each function returns the call of a function of the Go library: its name, the record of the arguments, and the arrays,
which have to stay alive as long as the library uses them.
"""

from __future__ import annotations

from array import array as _words
from collections.abc import Sequence
from struct import Struct
from typing import Literal

from ._array import Array
from ._record import Call, describe, describe_all, put_text
`

func writePython(calls []*call) []byte {
	var out bytes.Buffer
	out.WriteString(pythonHead)
	for _, c := range calls {
		if c.embedded {
			continue
		}
		if out.Len() > len(pythonHead) {
			out.WriteString("\n")
		}
		writePythonFunction(&out, c)
	}
	return out.Bytes()
}

func writePythonFunction(out *bytes.Buffer, c *call) {
	name := snakeCase(c.name)
	var letters, packed, single, arrays, rest []string
	inOrder(c, func(f field) {
		snake := snakeCase(f.name)
		switch f.kind {
		case "*Array":
			single = append(single, snake)
		case "[]*Array":
			arrays = append(arrays, "*"+snake)
			rest = append(rest, fmt.Sprintf("describe_all(record, %s)", snake))
		case "string":
			rest = append(rest, fmt.Sprintf("put_text(record, %s)", snake))
		case "complex128":
			letters, packed = append(letters, "dd"), append(packed, snake+".real", snake+".imag")
		default:
			letters, packed = append(letters, scalars[f.kind][1]), append(packed, snake)
		}
	})
	arrays = append(single, arrays...)
	packer := "_" + strings.ToUpper(name)
	head, tail := "    record = [", "]"
	if format := strings.Join(letters, ""); strings.Contains(format, "d") {
		fmt.Fprintf(out, "\n%s = Struct(\"q%s\").pack\n\n", packer, format)
		head, tail = fmt.Sprintf("    record = list(_words(\"q\", %s(", packer), ")))"
	}
	fmt.Fprintf(out, "\ndef %s(\n", name)
	function := strconv.Quote(c.name)
	if c.functions != nil {
		quoted := make([]string, len(c.functions))
		for i, f := range c.functions {
			quoted[i] = strconv.Quote(f)
		}
		writeWrapped(out, "    function: Literal[", quoted, "],")
		function = "function"
	}
	out.WriteString("    *,\n")
	for _, f := range c.fields {
		fmt.Fprintf(out, "    %s: %s,\n", snakeCase(f.name), pythonType(f))
	}
	fmt.Fprintf(out, ") -> Call:\n")
	writeWrapped(out, `    """`, strings.Fields(c.doc), `"""`)
	writeWrapped(out, head, append([]string{"0"}, packed...), tail)
	if single != nil {
		writeWrapped(out, "    describe(", append([]string{"record"}, single...), ")")
	}
	for _, line := range rest {
		fmt.Fprintf(out, "    %s\n", line)
	}
	out.WriteString("    record[0] = len(record)\n")
	comma := ""
	if len(arrays) == 1 {
		comma = ","
	}
	writeWrapped(out, fmt.Sprintf("    return %s, _words(\"q\", record), (", function), arrays, comma+")")
}

// width is the maximum line length of generated code.
const width = 118

// writeWrapped writes words, those of a list with commas, between head and tail on as many lines as they need.
func writeWrapped(out *bytes.Buffer, head string, words []string, tail string) {
	separator := ", "
	if strings.HasSuffix(head, `"""`) {
		separator = " "
	}
	line := head + strings.Join(words, separator) + tail
	if len(line) <= width {
		out.WriteString(line + "\n")
		return
	}
	indent := "    "
	if separator == ", " {
		out.WriteString(head + "\n")
		indent, head, tail = "        ", "", "    "+tail
	}
	line = indent + strings.TrimSpace(head)
	first := true
	for i, word := range words {
		if i < len(words)-1 || separator == ", " {
			word += strings.TrimRight(separator, " ")
		}
		switch {
		case first:
			line += word
			first = false
		case len(line)+1+len(word) > width:
			out.WriteString(line + "\n")
			line = indent + word
		default:
			line += " " + word
		}
	}
	out.WriteString(line + "\n" + tail2(tail, separator) + "\n")
}

func tail2(tail, separator string) string {
	if separator == " " {
		return "    " + tail
	}
	return tail
}

func pythonType(f field) string {
	kind := map[string]string{"*Array": "Array", "[]*Array": "Sequence[Array]", "string": "str"}[f.kind]
	if s, ok := scalars[f.kind]; ok {
		kind = s[2]
	}
	if f.absent {
		kind += " | None = None"
	}
	if f.defaultValue != "" {
		kind += " = " + f.defaultValue
	}
	return kind
}

// snakeCase turns CheckFinite into check_finite and DFFit into df_fit.
func snakeCase(name string) string {
	var out []rune
	runes := []rune(name)
	for i, r := range runes {
		startsWord := unicode.IsUpper(r) && i > 0 &&
			(!unicode.IsUpper(runes[i-1]) && !unicode.IsDigit(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if startsWord {
			out = append(out, '_')
		}
		out = append(out, unicode.ToLower(r))
	}
	return string(out)
}
