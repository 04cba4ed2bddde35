package reading

import (
	"bytes"
	"path"
	"slices"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
)

// placeBelow replaces the name of a directory entry by the path that tools take: the directory that
// the call names, the directories around the entry in a tree, and its name, which becomes an
// alias.
func (r *Reader) placeBelow(s *finding.Sighting, fr *frame) {
	name := s.ID
	if bytes.ContainsAny(name, `/\`) || s.AliasCount > 0 || len(bytes.Trim(name, ".")) == 0 || string(name) == r.call.Directory {
		return
	}
	dir := []byte(r.call.Directory)
	for i := r.base; fr != nil && i < len(r.frames)-1; i++ {
		around := r.nameOf(i)
		switch {
		case len(around) == 0 || string(around) == path.Base(r.call.Directory):
		case string(around) == "..":
			return
		default:
			dir = below(dir, around)
		}
	}
	if s.ID = below(dir, name); len(s.ID) > shape.MaxID || len(s.ID) == len(name) {
		s.ID = name
		return
	}
	s.Aliases, s.AliasCount = append([]byte{'\n'}, name...), 1
	if bytes.Equal(s.Name, name) {
		s.Name = s.ID
	}
	if s.Type == "directory" || s.Type == "folder" {
		s.Description = nil // the names of its entries
	}
}

// nameOf returns the name of the open object with an index, or nil.
func (r *Reader) nameOf(frame int) []byte {
	fields := r.fields[r.frames[frame].fields:r.frames[frame+1].fields]
	for i := range fields {
		if fd := &fields[i]; !r.frames[frame].array && !fd.Nested && fd.Key.Class == naming.ClassName {
			return fd.Text
		}
	}
	return nil
}

// below returns the path of an entry of a directory.
func below(dir, name []byte) []byte {
	if len(dir) == 0 || string(dir) == "." || name[0] == '/' {
		return name
	}
	separator := byte('/')
	if bytes.IndexByte(dir, '\\') > 0 && bytes.IndexByte(dir, '/') < 0 {
		separator = '\\'
	}
	dir = bytes.TrimRight(dir, `/\`)
	return append(append(slices.Clip(dir), separator), name...)
}
