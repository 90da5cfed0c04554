package device

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// diskCache keeps serialized programs in files, one folder for each version of an executor. It is safe against other
// processes: a file appears whole under its name or not at all. A damaged file, which its checksum shows, is ignored
// and replaced. Failures cost a compilation and are not errors.
type diskCache struct {
	dir        string
	serializer trnbackend.Serializer
}

// A file consists of the magic bytes, a checksum of what follows, and the program.
var magic = []byte("trnsci program 1\n")

func newDiskCache(dir, version string, serializer trnbackend.Serializer) *diskCache {
	sum := sha256.Sum256([]byte(version))
	const folderBytes = 8
	return &diskCache{filepath.Join(dir, hex.EncodeToString(sum[:folderBytes])), serializer}
}

func (c *diskCache) path(g *graph.Graph) string { return filepath.Join(c.dir, g.Key()) }

// load returns the program of a graph, or nil.
func (c *diskCache) load(g *graph.Graph) trnbackend.Program {
	if info, err := os.Stat(c.path(g)); err != nil || !info.Mode().IsRegular() {
		return nil // opening a pipe would wait for its other end
	}
	data, err := os.ReadFile(c.path(g))
	if err != nil {
		return nil
	}
	rest, ok := bytes.CutPrefix(data, magic)
	if !ok || len(rest) < sha256.Size {
		return nil
	}
	sum := sha256.Sum256(rest[sha256.Size:])
	if !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil
	}
	p, err := c.serializer.Load(g, rest[sha256.Size:])
	if err != nil {
		return nil
	}
	return p
}

// replaceable reports whether a program may be written to a path: the path is free, or it is a file of ours that is not
// write-protected.
func replaceable(path string) bool {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	const anyWrite = 0o222
	if err != nil || !info.Mode().IsRegular() || info.Mode()&anyWrite == 0 {
		return false
	}
	data, err := os.ReadFile(path)
	return err == nil && (len(data) == 0 || bytes.HasPrefix(data, magic))
}

// store writes a program, unless the executor cannot serialize it, the disk is full, or another file has its name.
func (c *diskCache) store(p trnbackend.Program) {
	if !replaceable(c.path(p.Graph())) {
		return
	}
	program, err := c.serializer.Serialize(p)
	if err != nil {
		return
	}
	const private = 0o700
	if os.MkdirAll(c.dir, private) != nil {
		return
	}
	file, err := os.CreateTemp(c.dir, "new-*")
	if err != nil {
		return
	}
	defer os.Remove(file.Name()) // it has been renamed by then, if all went well
	sum := sha256.Sum256(program)
	_, err = file.Write(bytes.Join([][]byte{magic, sum[:], program}, nil))
	if file.Close() != nil || err != nil {
		return
	}
	_ = os.Rename(file.Name(), c.path(p.Graph()))
}
