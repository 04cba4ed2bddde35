package extractor

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// maxAliases is how many identifiers beside the best one are taken of a record.
const maxAliases = 2

// endObject decides what the object that ends was: a record with an identity, a
// map of names and ids, or a part of the record around it.
func (f *finder) endObject(fr *frame) {
	if fr.hoisted && len(f.frames)-1 > f.base {
		return // its fields stay: they are those of the object around it
	}
	if f.asField(fr) {
		return
	}
	fields := f.fields[fr.fields:]
	id := f.identify(fr, fields)
	switch {
	case id.field != nil || id.text != "":
		f.endRecord(fr, fields, id)
		f.drop(fr)
	case f.asNameMap(fr, fields):
		f.drop(fr)
	default:
		f.adopt(fr, fields)
		f.references(fields, nil, "")
		f.bubble(fr, fields)
	}
}

// drop forgets the fields of a frame.
func (f *finder) drop(fr *frame) {
	f.fields, f.arena = f.fields[:fr.fields], f.arena[:fr.arena]
}

// bubble leaves the facts of a part to the record around it, as many as fit,
// and moves them to where the part began, so that memory stays bounded however
// many parts there are.
func (f *finder) bubble(fr *frame, fields []field) {
	outer := f.enclosingFields(fr)
	kept, arena := fr.fields, fr.arena
	for i := range fields {
		fd := fields[i]
		if kept-outer >= maxFields || kept-fr.fields >= maxFields/4 {
			break
		}
		if fd.key.class == classPlain || fd.key.class == className || fd.key.class == classTypedName {
			n := copy(f.arena[arena:], f.value(&fd))
			fd.nested, fd.text = true, span{arena, arena + n}
			f.fields[kept] = fd
			kept, arena = kept+1, arena+n
		}
	}
	f.fields, f.arena = f.fields[:kept], f.arena[:arena]
}

// enclosingFields is where the fields of the object around a frame begin.
func (f *finder) enclosingFields(fr *frame) int {
	for i := len(f.frames) - 2; i >= 0; i-- {
		if !f.frames[i].array {
			return f.frames[i].fields
		}
	}
	return fr.fields
}

// asField turns objects that stand for one value into a field of the object
// around: {"id": {"$oid": "…"}}, {"title": {"rendered": "…"}},
// {"name": {"first_name": "…", "last_name": "…"}}, {"Key": "Name", "Value": "web"}.
func (f *finder) asField(fr *frame) bool {
	fields := f.fields[fr.fields:]
	if len(f.frames)-1 <= f.base || len(fields) == 0 || fr.objects {
		return false
	}
	if key, value, ok := f.keyValuePair(fields); ok {
		f.replaceFields(fr, f.x.keys.info(key), value, document.String)
		return true
	}
	k := fr.key
	if k == nil {
		return false
	}
	switch k.class {
	case classID, classTypedID:
		if len(fields) != 1 {
			return false
		}
		f.replaceFields(fr, k, f.value(&fields[0]), fields[0].kind)
		return true
	case className, classTypedName:
		if slices.ContainsFunc(fields, func(fd field) bool { return fd.key.class == classID || fd.key.class == classTypedID }) {
			return false
		}
		f.replaceFields(fr, k, f.joinName(fields), document.String)
		return true
	}
	return false
}

// keyValuePair recognises {"Key": "Name", "Value": "web-1"}.
func (f *finder) keyValuePair(fields []field) (key, value []byte, ok bool) {
	if len(fields) != 2 {
		return nil, nil, false
	}
	a, b := &fields[0], &fields[1]
	if strings.EqualFold(a.key.name, "value") {
		a, b = b, a
	}
	if !strings.EqualFold(b.key.name, "value") || !strings.EqualFold(a.key.name, "key") && !strings.EqualFold(a.key.name, "name") {
		return nil, nil, false
	}
	return f.value(a), f.value(b), true
}

// joinName is the text of a name given in parts: given and family name, or the
// first of several languages.
func (f *finder) joinName(fields []field) []byte {
	var parts [][]byte
	for i := range fields {
		if fields[i].kind != document.String {
			continue
		}
		if len(fields[i].key.name) == 2 { // {"en": "Home", "de": "Start"}
			return f.value(&fields[i])
		}
		if len(parts) < 3 {
			parts = append(parts, f.value(&fields[i]))
		}
	}
	return bytes.Join(parts, []byte(" "))
}

func (f *finder) replaceFields(fr *frame, k *keyInfo, value []byte, kind document.Kind) {
	value = bytes.Clone(value)
	f.drop(fr)
	if k.class == classSecret || k.class == classNoise || len(value) == 0 {
		return
	}
	f.fields = append(f.fields, field{key: k, text: f.store(value), kind: kind})
}

// identity is what identifies a record.
type identity struct {
	// field holds the id; nil if the record's key in a map, in text, is the id.
	field *field
	text  string
}

// identify finds the best identifier of the record in an object.
func (f *finder) identify(fr *frame, fields []field) identity {
	var best *field
	bestRank := 100
	typed, named := 0, false
	for i := range fields {
		fd := &fields[i]
		if fd.nested {
			continue
		}
		named = named || fd.key.class == className && fd.key.name != "slug"
		if fd.key.class == classTypedID && isPlausibleID(fd.kind, f.value(fd)) {
			typed++
		}
		if rank := f.identityRank(fr, fd); rank < bestRank {
			best, bestRank = fd, rank
		}
	}
	if isEnvelope(fields) {
		return identity{}
	}
	if best != nil {
		return identity{field: best}
	}
	if fr.key != nil && f.isMapKey(fr.key) && (len(fields) > 0 || fr.objects) {
		return identity{text: fr.key.name}
	}
	// One typed id and a name: {"name": "Laptop", "product_id": "4760268021"}.
	if typed == 1 && named && !fr.adoptable(f) {
		for i := range fields {
			if fields[i].key.class == classTypedID && !fields[i].nested {
				return identity{field: &fields[i]}
			}
		}
	}
	return f.weakIdentity(fields, named)
}

// identityRank says how well a field identifies the record it stands in; 100 if not at all.
func (f *finder) identityRank(fr *frame, fd *field) int {
	k := fd.key
	switch k.class {
	case classID:
		if !k.plural && isPlausibleID(fd.kind, f.value(fd)) {
			return int(k.rank)
		}
	case classTypedID:
		if k.plural || !isPlausibleID(fd.kind, f.value(fd)) || k.noun == "page_token" {
			return 100
		}
		switch {
		case fr.noun != "" && sameNoun(k.noun, fr.noun):
			return 10 + int(k.rank)
		case fr.wrapper != "" && sameNoun(k.noun, fr.wrapper):
			return 15 + int(k.rank)
		case fr.inherited && slices.Contains(f.tool.words, lastWord(k.noun)) && fr.first == k:
			return 20 + int(k.rank)
		case fr.first == k && k.rank <= 3:
			return 30 + int(k.rank)
		case fr.inherited && k.rank == 0 && slices.Contains(f.tool.words, lastWord(k.noun)):
			return 40
		}
	}
	return 100
}

// sameNoun reports whether two types name the same thing: order and
// purchase_order, pull_request and request.
func sameNoun(a, b string) bool {
	return a == b || strings.HasSuffix(a, "_"+b) || strings.HasSuffix(b, "_"+a)
}

// isEnvelope reports whether an object is a protocol's wrapping: JSON-RPC's id
// is that of the request.
func isEnvelope(fields []field) bool {
	return slices.ContainsFunc(fields, func(fd field) bool { return fd.key.name == "jsonrpc" })
}

// weakIdentity takes a key, number, code, SKU or path as identifier where there is no better one.
func (f *finder) weakIdentity(fields []field, named bool) identity {
	var best *field
	for i := range fields {
		fd := &fields[i]
		if !fd.nested && fd.key.class == classWeakID && (best == nil || fd.key.rank < best.key.rank) && f.isWeakID(fd, named) {
			best = fd
		}
	}
	if best == nil {
		best = f.namedIdentity(fields)
	}
	return identity{field: best}
}

// isWeakID reports whether the value of a weak identifier can be one. A code
// beside a message is a status, a short word needs a name beside it.
func (f *finder) isWeakID(fd *field, named bool) bool {
	text := f.value(fd)
	if !isPlausibleID(fd.kind, text) {
		return false
	}
	if fd.key.rank >= 7 { // slug, path, url
		return fd.kind == document.String && (fd.key.name != "url" && fd.key.name != "uri" || bytes.IndexByte(text, '/') >= 0)
	}
	if fd.kind == document.Number {
		return named && fd.key.rank <= 1
	}
	return named || shapeOf(text) >= likelyID
}

// namedIdentity takes a name that is made as identifiers are: web-7d9f8b-x2x1z.
func (f *finder) namedIdentity(fields []field) *field {
	for i := range fields {
		fd := &fields[i]
		if !fd.nested && (fd.key.class == className || fd.key.class == classTypedName) && shapeOf(f.value(fd)) >= likelyID && fd.kind == document.String {
			return fd
		}
	}
	return nil
}

// endRecord adds the record that an object is, its further identifiers, and
// the things it points to.
func (f *finder) endRecord(fr *frame, fields []field, id identity) {
	typ := f.typeOf(fr, fields, id)
	e := memory.Entity{Type: typ, ID: id.text, Path: f.path(-1)}
	if id.field != nil {
		e.ID = string(f.value(id.field))
	}
	name := f.nameOf(typ, fields, id.field)
	if name != nil {
		e.Name = cleanText(f.value(name))
	} else {
		e.Name = f.personName(fields)
	}
	for i := range fields {
		if fields[i].key.name == "slug" && !fields[i].nested {
			e.Slug = cleanText(f.value(&fields[i]))
		}
	}
	e.Description = f.describe(typ, fields, id.field, name)
	f.settle(fr)
	f.add(candidate{order: fr.order, entity: e, inherited: fr.inherited, wrapper: fr.wrapper, unavailable: f.isUnavailable(fields)})
	f.aliases(fr, fields, id, e)
	f.references(fields, id.field, e.Name)
}

// availabilityKeys are fields that say, by a false, that a record cannot be had.
var availabilityKeys = words(`available in_stock instock active enabled is_available is_active is_enabled sellable purchasable valid`)

// unavailableWords are the values of a status that say so.
var unavailableWords = words(`unavailable sold_out out_of_stock discontinued disabled inactive expired`)

// isUnavailable reports whether a record says of itself that it cannot be had.
func (f *finder) isUnavailable(fields []field) bool {
	for i := range fields {
		fd := &fields[i]
		switch {
		case fd.nested:
		case fd.kind == document.Bool && availabilityKeys.has(strings.Join(splitWords(fd.key.name), "_")):
			return string(f.value(fd)) == "false"
		case fd.kind == document.String && (fd.key.name == "status" || fd.key.name == "availability"):
			return unavailableWords.has(strings.Join(splitWords(string(f.value(fd))), "_"))
		}
	}
	return false
}

// settle gives what was found inside a record, and took its type from outside of
// it through wrappers, the type of the wrapper: the items of an order are items.
func (f *finder) settle(fr *frame) {
	for i := fr.found; i < len(f.found); i++ {
		c := &f.found[i]
		if c.inherited && c.wrapper != "" && c.wrapper != fr.wrapper {
			c.entity.Type = c.wrapper
		}
		c.inherited = false
	}
}

// aliases adds the further identifiers of a record: the key of an issue that
// has an id, the number of a pull request.
func (f *finder) aliases(fr *frame, fields []field, id identity, record memory.Entity) {
	taken := 0
	for i := range fields {
		fd := &fields[i]
		if fd == id.field || fd.nested || taken == maxAliases || !f.isAlias(fd, record.Type) {
			continue
		}
		alias := record
		alias.ID, alias.Role, alias.Path = string(f.value(fd)), memory.RoleAlias, record.Path+"."+fd.key.name
		if alias.ID != record.ID {
			f.add(candidate{order: fr.order, entity: alias})
			taken++
		}
	}
}

func (f *finder) isAlias(fd *field, typ string) bool {
	text := f.value(fd)
	if !isPlausibleID(fd.kind, text) {
		return false
	}
	switch fd.key.class {
	case classID:
		return !fd.key.plural
	case classTypedID:
		return !fd.key.plural && sameNoun(fd.key.noun, typ) && (fd.key.rank <= 3 || shapeOf(text) >= likelyID)
	case classWeakID:
		return fd.kind == document.Number && fd.key.rank == 0 || fd.key.rank <= 4 && shapeOf(text) >= likelyID
	case className:
		return shapeOf(text) == surelyID && fd.kind == document.String
	}
	return false
}

// references adds the things that a record points to, of the types its keys
// name. All that is known of them is whose they are: "of Headphones".
func (f *finder) references(fields []field, own *field, owner string) {
	description := ""
	if owner != "" {
		description = "of " + owner
	}
	for i := range fields {
		fd := &fields[i]
		if fd == own || fd.nested {
			continue
		}
		typ, ok := f.referenced(fd)
		if !ok {
			continue
		}
		f.order++
		f.add(candidate{order: f.order, entity: memory.Entity{
			Type: typ, ID: string(f.value(fd)), Role: memory.RoleReference,
			Description: description, Path: f.path(-1) + "." + fd.key.name}})
	}
}

// referenced is the type of what a field points to, if it does.
func (f *finder) referenced(fd *field) (string, bool) {
	k, text := fd.key, f.value(fd)
	switch k.class {
	case classTypedID:
		if !isPlausibleID(fd.kind, text) || k.rank > 1 && shapeOf(text) < maybeID || k.rank > 1 && bytes.IndexAny(text, "0123456789") < 0 {
			return "", false
		}
		return k.noun, true
	case classPlain:
		if fd.kind != document.String || k.noun == "" || notReferenced.has(lastWord(k.noun)) {
			return "", false
		}
		s := shapeOf(text)
		return k.noun, s == surelyID || s == likelyID && entityNouns.has(k.noun)
	}
	return "", false
}

// notReferenced are nouns of fields whose values look like identifiers and are facts.
var notReferenced = words(`phone mobile fax zip postcode amount price total version year month day quantity size color colour
	model unit grade level score position language dimension rate salary currency symbol option card date time duration
	ip host port weight height width depth length value tag label keyword feature permission scope url email percent
	status code message text hash digest checksum line style format`)

// asNameMap recognises maps between names and identifiers: {"Desk Lamp":
// "6817146515", …}, {"SFO": "San Francisco", …}.
func (f *finder) asNameMap(fr *frame, fields []field) bool {
	if fr.objects || len(fields) < 2 || fr.noun == "" {
		return false
	}
	byID, byName := true, true
	width := len(fields[0].key.name)
	for i := range fields {
		fd := &fields[i]
		if fd.nested {
			return false
		}
		text := f.value(fd)
		byName = byName && isDisplayName(fd.key.name) && fd.kind != document.Bool && (shapeOf(text) >= likelyID || fd.kind == document.Number && isDigits(text) && len(text) > 4)
		byID = byID && fd.kind == document.String && shapeOf(text) != surelyID && (f.isMapKey(fd.key) || isUpperWord([]byte(fd.key.name)) && len(fd.key.name) == width && width <= 5)
	}
	if !byID && !byName {
		return false
	}
	for i := range fields {
		fd := &fields[i]
		e := memory.Entity{Type: fr.noun, Path: f.path(-1) + "[" + strconv.Quote(fd.key.name) + "]"}
		if byName {
			e.ID, e.Name = string(f.value(fd)), cleanText([]byte(fd.key.name))
		} else {
			e.ID, e.Name = fd.key.name, cleanText(f.value(fd))
		}
		f.order++
		f.add(candidate{order: f.order, entity: e, inherited: fr.inherited, wrapper: fr.wrapper})
	}
	return true
}

// isDisplayName reports whether a key is written for people: it begins with a capital or holds a space.
func isDisplayName(key string) bool {
	return strings.Contains(key, " ") || key[0] >= 'A' && key[0] <= 'Z' || key[0] >= 0x80
}

// adoptable reports whether an object without an identity can be what the tool
// was asked about: it is of the tool's type and no item of a list.
func (fr *frame) adoptable(f *finder) bool {
	if f.own.ID == "" || f.adopted || f.tool.noun == "" || fr.noun != f.tool.noun {
		return false
	}
	for i := f.base; i < len(f.frames); i++ {
		if f.frames[i].array {
			return false
		}
	}
	return true
}

// adopt makes a record that does not repeat its id, {"name": …, "email": …},
// known under the id that the tool was called with.
func (f *finder) adopt(fr *frame, fields []field) {
	if !fr.adoptable(f) || len(fields) < 2 || f.failed {
		return
	}
	f.adopted = true
	id := identity{text: f.own.ID}
	typ := fr.noun
	e := memory.Entity{Type: typ, ID: f.own.ID, Path: f.path(-1)}
	name := f.nameOf(typ, fields, nil)
	if name != nil {
		e.Name = cleanText(f.value(name))
	} else {
		e.Name = f.personName(fields)
	}
	e.Description = f.describe(typ, fields, nil, name)
	f.settle(fr)
	f.add(candidate{order: fr.order, entity: e})
	f.aliases(fr, fields, id, e)
}

// typeOf is the type of a record: the one it states, if plausible; the one its
// identifier names; the one of the key it stands under; that of the tool.
func (f *finder) typeOf(fr *frame, fields []field, id identity) string {
	if f.forced != "" {
		return f.forced
	}
	typed := ""
	if id.field != nil && id.field.key.class == classTypedID {
		typed = id.field.key.noun
	}
	if stated := f.statedType(fr, fields, typed); stated != "" {
		return stated
	}
	for _, typ := range [...]string{typed, fr.noun} {
		if typ != "" {
			return typ
		}
	}
	return memory.FallbackType
}

// statedType is the type a record gives for itself, if that is plausible.
func (f *finder) statedType(fr *frame, fields []field, typed string) string {
	best, bestRank := "", uint8(100)
	for i := range fields {
		fd := &fields[i]
		if fd.nested || fd.key.class != classType || fd.kind != document.String || fd.key.rank >= bestRank {
			continue
		}
		if typ := plausibleType(f.value(fd)); typ != "" && f.isStated(fr, fd.key.rank, typ, typed) {
			best, bestRank = typ, fd.key.rank
		}
	}
	return best
}

// isStated decides between a stated type and what the surroundings say. The
// weak fields "type" and "kind" often hold a sort of the thing (a savings
// account, an express order): there a stated type must be a noun that things
// are called by, or agree with the surroundings, unless these say nothing.
func (f *finder) isStated(fr *frame, rank uint8, typ, typed string) bool {
	if rank < 3 {
		return typed == "" || sameNoun(typed, typ) || entityNouns.has(lastWord(typ))
	}
	if typed != "" {
		return sameNoun(typed, typ)
	}
	return fr.noun == "" || sameNoun(fr.noun, typ) || slices.Contains(f.tool.words, lastWord(typ)) ||
		entityNouns.has(typ) || entityNouns.has(lastWord(typ))
}

// plausibleType turns the value of a type field into a type: a short noun that
// is not a status. Namespaces are cut: AWS::EC2::Instance is an instance,
// youtube#video a video.
func plausibleType(text []byte) string {
	if len(text) > 64 || bytes.ContainsAny(text, "\n\t\"'<>{}()=,;") || bytes.Count(text, []byte(" ")) > 2 {
		return ""
	}
	if i := bytes.LastIndexAny(text, "#:/."); i >= 0 {
		text = text[i+1:]
	}
	ws := splitWords(string(text))
	if len(ws) == 0 || len(ws) > 4 || bytes.ContainsAny(text, "0123456789") && len(ws) == 1 && len(text) < 3 {
		return ""
	}
	for len(ws) > 1 && slices.Contains([]string{"connection", "edge", "list", "collection", "node", "object"}, ws[len(ws)-1]) {
		ws = ws[:len(ws)-1]
	}
	typ := singularNoun(ws)
	if statusWords.has(typ) || statusWords.has(ws[0]) && len(ws) == 1 || isNumber(typ) || genericNouns.has(typ) {
		return ""
	}
	if cut, ok := cutContainer(typ); ok {
		typ = cut
	}
	return typ
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// isPlausibleID reports whether a value under an identifier's key can be one:
// a whole number or a string without line breaks that is no sentence.
func isPlausibleID(kind document.Kind, text []byte) bool {
	if len(text) == 0 || len(text) > maxID || isSecretShape(text) {
		return false
	}
	switch kind {
	case document.Number:
		return isDigits(bytes.TrimPrefix(text, []byte("-")))
	case document.String:
		return isUTF8Line(text) && bytes.Count(text, []byte(" ")) <= 3 && !bytes.EqualFold(text, []byte("null")) &&
			!bytes.EqualFold(text, []byte("none")) && !bytes.EqualFold(text, []byte("n/a")) && !bytes.EqualFold(text, []byte("undefined"))
	}
	return false
}

// path is where in the result the innermost frame stands, as in $.pages[2];
// with item >= 0 the item of the array that the innermost frame is.
func (f *finder) path(item int) string {
	var b strings.Builder
	b.WriteByte('$')
	for i := range f.frames {
		fr := &f.frames[i]
		switch {
		case i > 0 && f.frames[i-1].array:
			writeIndex(&b, f.frames[i-1].index-1)
		case fr.key != nil && isPlainKey(fr.key.name):
			b.WriteByte('.')
			b.WriteString(fr.key.name)
		case fr.key != nil:
			b.WriteByte('[')
			b.WriteString(strconv.Quote(fr.key.name))
			b.WriteByte(']')
		}
		if b.Len() > memory.MaxTextBytes/2 {
			b.WriteString("…")
			return b.String()
		}
	}
	if item >= 0 {
		writeIndex(&b, item)
	}
	return b.String()
}

func writeIndex(b *strings.Builder, i int) {
	b.WriteByte('[')
	b.WriteString(strconv.Itoa(i))
	b.WriteByte(']')
}

func isPlainKey(key string) bool {
	for i := range len(key) {
		c := key[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(key) > 0
}

// sectionNames: a CMS names its sections by sectionName, else by sectionKey (seed 004).
var sectionNames = [...]string{"section_name", "section_key", "name", "key"}

// nameOf finds the field that names a record.
func (f *finder) nameOf(typ string, fields []field, id *field) *field {
	var best *field
	bestRank := 1000
	for i := range fields {
		fd := &fields[i]
		if rank := f.nameRank(typ, fd); rank < bestRank && fd != id {
			best, bestRank = fd, rank
		}
	}
	return best
}

func (f *finder) nameRank(typ string, fd *field) int {
	if fd.nested || fd.kind == document.Bool {
		return 1000
	}
	k := fd.key
	if typ == "section" {
		joined := strings.Join(splitWords(k.name), "_")
		if i := slices.Index(sectionNames[:], joined); i >= 0 {
			return i
		}
	}
	switch k.class {
	case classTypedName:
		if sameNoun(k.noun, typ) || k.noun == english.Plural(typ) {
			return 10
		}
		return 40
	case className:
		return 20 + int(k.rank)
	}
	return 1000
}

// personName joins a given and a family name.
func (f *finder) personName(fields []field) string {
	var given, family string
	for i := range fields {
		fd := &fields[i]
		switch {
		case fd.nested || fd.kind != document.String:
		case fd.key.given && given == "":
			given = cleanText(f.value(fd))
		case fd.key.family && family == "":
			family = cleanText(f.value(fd))
		}
	}
	return strings.TrimSpace(given + " " + family)
}
