package naming

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/secret"
)

// classify describes a field name. Names are judged here and nowhere else. Values below a
// secret name are secret too.
func classify(name string) *Key {
	k := &Key{Name: name, Shape: shape.Of([]byte(name))}
	if shown := secret.Redact(name); shown != name && !secret.IsCardNumber([]byte(name)) {
		k.Name, k.Class = shown, ClassSecret
	} else {
		classifyName(k)
	}
	k.Traits = traitsOf(k)
	return k
}

func classifyName(k *Key) {
	name := k.Name
	if k.Shape >= shape.LikelyID || k.Shape == shape.MaybeID && shape.IsDigits([]byte(name)) { // 42, a UUID; not address1 or utf8
		k.Class = ClassMapKey
		return
	}
	ws := english.Words(name)
	if len(ws) == 0 {
		return
	}
	ws = splitRunTogether(ws)
	k.Snake = strings.Join(ws, "_")
	last := ws[len(ws)-1]
	switch {
	case secret.IsKey(ws):
		k.Class = ClassSecret
		if k.Plural = english.Singular(last) != last; k.Plural { // records of tokens, whose ids and names are not secret
			k.Noun = keyNoun(ws)
		}
	case setRank(k, ClassType, &typeNames, strings.ToLower(name)), setRank(k, ClassType, &typeNames, k.Snake):
	case setRank(k, ClassID, &idNames, k.Snake):
		k.Plural = english.Singular(last) != last
	case setRank(k, ClassName, &nameNames, k.Snake):
		if vocabulary.EntityNouns.Has(k.Snake) { // a label, a subject
			k.Noun = k.Snake
		}
	case setRank(k, ClassWeakID, &weakIDNames, k.Snake):
	case vocabulary.PageTokenKeys.Has(k.Snake):
		k.Class, k.Noun = ClassTypedID, PageToken
	case len(ws) > 1 && classifyTypedID(k, ws):
	case vocabulary.GivenNameKeys.Has(k.Snake):
		k.Given = true
	case vocabulary.FamilyNameKeys.Has(k.Snake):
		k.Family = true
	case len(ws) > 1 && (last == "name" || last == "title" || last == "label"):
		if !vocabulary.NamePrefixes.Has(ws[0]) {
			k.Class, k.Noun = ClassTypedName, singularNoun(ws[:len(ws)-1])
		}
	default:
		classifyPlain(k, ws)
	}
}

func setRank(k *Key, class Class, names *vocabulary.Set, word string) bool {
	rank, ok := names.Rank(word)
	if ok {
		k.Class, k.Rank = class, rank
	}
	return ok
}

// PageToken is the type of tokens for a next page, which identify no record.
const PageToken = "page_token"

// classifyTypedID classifies order_id, flightNumber, item_ids.
func classifyTypedID(k *Key, ws []string) bool {
	last := ws[len(ws)-1]
	rank, ok := idSuffixes.Rank(last)
	stem := ws[:len(ws)-1]
	if vocabulary.NumeroWords.Has(ws[0]) && !vocabulary.NoIDBefore.Has(last) && !strings.HasSuffix(last, "s") { // numeroFactura, not numero_de_paginas
		rank, ok, stem = 2, true, ws[len(ws)-1:]
	}
	if len(stem) > 1 && stem[1] == "at" && vocabulary.NoiseFirst.Has(stem[0]) { // created_at_block_number
		k.Class = ClassNoise
		return true
	}
	if rest := ws[1:]; !ok && ws[0] == "id" && vocabulary.EntityNouns.Has(english.Singular(last)) { // idBoard, idMembers
		rank, ok, stem = 0, true, rest
	}
	if ok && len(stem) == 1 && vocabulary.OrnamentNouns.Has(stem[0]) {
		k.Class = ClassNoise
		return true
	}
	if !ok || rank > 1 && vocabulary.NoIDBefore.Has(stem[len(stem)-1]) || vocabulary.NoRecordBefore.Has(strings.Join(stem, "_")) || vocabulary.NoRecordBefore.Has(stem[0]) {
		return false
	}
	for len(stem) > 1 && slices.Contains([]string{"new", "old", "current", "previous", "original"}, stem[0]) {
		stem = stem[1:]
	}
	for n := len(stem); n > 1 && (stem[n-1] == "id" || stem[n-1] == "or"); n-- { // recipientIdGuid, issueIdOrKey
		stem = stem[:n-1]
	}
	if isIndexedBy(stem) { // restaurantsById
		return false
	}
	k.Class, k.Rank = ClassTypedID, rank
	if len(stem) > 1 || !isParticiple(stem[0]) { // not orderedIds
		noun := singularNoun(stem)
		k.Noun = specific(cmp.Or(vocabulary.LongForm(noun), noun), &vocabulary.VagueNouns)
	}
	k.Plural = last != english.Singular(last)
	if k.Noun == "" {
		k.Class, k.Rank = ClassWeakID, 2
	}
	return true
}

func classifyPlain(k *Key, ws []string) {
	if n := len(ws); n > 2 && isIndexedBy(ws[:n-1]) {
		ws = ws[:n-2]
	}
	if i := slices.IndexFunc(ws, vocabulary.Prepositions.Has); i > 0 && i < len(ws)-1 && strings.Contains(k.Name, " ") { // Tables in the database
		ws = ws[:i]
	}
	last := ws[len(ws)-1]
	k.Plural = last != english.Singular(last)
	switch single := english.Singular(last); {
	case len(ws) > 1 && vocabulary.LinkWords.Has(single):
		if k.Class, k.Noun = ClassLink, specific(singularNoun(ws[:len(ws)-1]), &vocabulary.GenericNouns); slices.ContainsFunc(ws, vocabulary.TurningWords.Has) {
			k.Class = ClassNoise
		}
		return
	case vocabulary.NoiseWords.Has(last) || vocabulary.NoiseFirst.Has(ws[0]) || slices.ContainsFunc(ws, vocabulary.NoiseFirst.Has) && (last == "time" || last == "date"):
		k.Class = ClassNoise
	case len(ws) > 1 && vocabulary.NoRecordBefore.Has(ws[0]):
		k.Class, k.Noun = ClassTrace, singularNoun(ws[:len(ws)-1])
		return
	}
	noun := keyNoun(ws)
	if len(noun) == 1 || vocabulary.Prepositions.Has(noun) || vocabulary.FailedWords.Has(noun) || vocabulary.DoneWords.Has(noun) { // OData's {"d": {"results": […]}}, stored_in, failed
		noun = ""
	}
	k.Noun = specific(noun, &vocabulary.GenericNouns)
	if noun == "item" {
		k.Wrapper = noun
	}
}

// keyNoun returns the type of the records under a key: archived_orders → order,
// securityGroups → security_group, order_items → item, searchResults → "".
func keyNoun(ws []string) string {
	if len(ws) > 1 && ws[0] == "describe" { // the title DescribeRepositories
		ws = ws[1:]
	}
	if n := len(ws); n > 1 && len(ws[n-1]) > 4 && strings.HasSuffix(ws[n-1], "ed") && english.Singular(ws[n-2]) != ws[n-2] { // files_added
		ws = ws[:n-1]
	}
	for len(ws) > 1 && (isVersion(ws[len(ws)-1]) || vocabulary.KeyTails.Has(english.Singular(ws[len(ws)-1])) && !vocabulary.CompoundNouns.Has(singularNoun(ws))) {
		ws = ws[:len(ws)-1]
	}
	return headNoun(ws)
}

// isIndexedBy reports whether the words name a map and the key it is indexed by, as
// in restaurants_by_id without the id.
func isIndexedBy(ws []string) bool {
	n := len(ws)
	return n > 1 && ws[n-1] == "by" && english.Singular(ws[n-2]) != ws[n-2]
}

// splitRunTogether splits names written without a separator, accountid and
// _ownerid_value, that end in "id" after a common noun for entities.
func splitRunTogether(ws []string) []string {
	if n := len(ws); n > 1 && strings.HasSuffix(ws[n-2], "id") && vocabulary.FormWords.Has(ws[n-1]) { // id_str
		ws = ws[:n-1]
	}
	last := ws[len(ws)-1]
	if last == "pid" && len(ws) == 1 {
		return []string{"process", "id"}
	}
	if stem, ok := strings.CutSuffix(last, "code"); ok && vocabulary.NoIDBefore.Has(stem) && stem != "bar" { // zipcode
		return append(slices.Clone(ws[:len(ws)-1]), stem, "code")
	}
	if stem := numberedNoun(strings.Join(ws, "")); stem != "" { // auftragsnummer, Auftrags-Nr.
		return []string{stem, "number"}
	}
	for _, suffix := range [...]string{"ids", "id", "number", "name"} {
		stem, ok := strings.CutSuffix(last, suffix)
		if !ok {
			continue
		}
		for i := 0; i <= len(stem)-4 || i == 0 && len(stem) <= 3; i++ { // jobid, vmid
			if vocabulary.EntityNouns.Has(stem[i:]) && (suffix != "name" || !vocabulary.NoIDBefore.Has(stem[i:]) && stem != "user" && stem != "file") {
				return append(slices.Clone(ws[:len(ws)-1]), stem[i:], suffix)
			}
		}
	}
	return ws
}

// numberedNoun returns the noun of a compound that ends in the German word for number, without the
// letters that join them: auftrag of auftragsnummer, kunde of kundennr. It is empty for other words
// and for the numbers of telephones and the like.
func numberedNoun(word string) string {
	stem := strings.TrimSuffix(strings.TrimSuffix(word, "nummer"), "nr")
	switch {
	case stem == word || len(stem) < 4 || vocabulary.NoIDBefore.Has(stem):
		return ""
	case strings.HasSuffix(stem, "nten"): // lieferanten
		return stem[:len(stem)-2]
	case strings.HasSuffix(stem, "s"), strings.HasSuffix(stem, "en"):
		return stem[:len(stem)-1]
	}
	return stem
}
