package reading

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/prose"
	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/secret"
)

// namesSecret reports whether a field, which may be nil, holds the name of a secret rather than the secret.
func (r *Reader) namesSecret(k *naming.Key) bool {
	switch {
	case k == nil:
		return false
	case r.call.Secrets:
		return namesInSecret(k)
	}
	return k.IsID() || k.Class == naming.ClassName || k.Class == naming.ClassTypedName || strings.EqualFold(k.Name, "arn")
}

// namesInSecret reports whether a field holds the name, the kind or the place of a secret in the object
// with the secret: {"kind": "Secret", "data": {…}}.
func namesInSecret(k *naming.Key) bool {
	return k.Class == naming.ClassID || k.Class == naming.ClassName && k.Name != "heading" || k.Class == naming.ClassType || vocabulary.SecretFacts.Has(k.Snake) ||
		(k.Class == naming.ClassTypedID || k.Class == naming.ClassTypedName) && vocabulary.SecretNouns.Has(naming.LastWord(k.Noun))
}

// namesOnly returns the lines without secrets in the output of a call that prints secrets: the listing
// of a directory, a table of names without values, and lines that begin with the path of a secret.
func namesOnly(text []byte) (kept []byte) {
	table := false
	for line := range bytes.Lines(text) {
		words := strings.Fields(string(line[:min(len(line), maxFieldText)]))
		switch {
		case len(words) == 0:
			table = false
		case slices.Contains(words, "NAME"):
			table = !slices.ContainsFunc(words, func(head string) bool { return vocabulary.ValueHeads.Has(head) || secret.IsKey(english.Words(head)) })
		}
		if table || prose.IsListed(line) || len(words) > 0 && strings.HasPrefix(words[0], "secret/") {
			kept = append(kept, line...)
		}
	}
	return kept
}

// isSettingValue reports whether a text is the value of the setting named by a field beside
// it: {"name": "DB_PASSWORD", "value": …}. Outside of fields that are only for values, the text must be
// a single word.
func isSettingValue(k *naming.Key, text []byte) bool {
	return k.Traits.Has(naming.TraitSettingValue) && (k.Traits.Has(naming.TraitValue) || bytes.IndexByte(text, ' ') < 0)
}

// isBesideSecret reports whether a field of an object so far names a secret. It judges each
// field once.
func (r *Reader) isBesideSecret(fr *frame) bool {
	for fields := r.fields[fr.fields:]; fr.judged < len(fields) && !fr.namesSecret; fr.judged++ {
		fd := &fields[fr.judged]
		fr.namesSecret = fd.Key.Traits.Has(naming.TraitSetting) && secret.IsKey(english.Words(string(fd.Text)))
	}
	return fr.namesSecret
}

// dropSecrets removes secrets from an ending object: the value of a setting whose name, that of a secret,
// came after it, and repetitions in other fields. If such an object has no identifier, it is only the
// setting, and all of it is removed. Of a Kubernetes object of the kind Secret, only the name
// remains.
func (r *Reader) dropSecrets(fr *frame) {
	fields := r.fields[fr.fields:]
	drop := func(is func(record.Field) bool) {
		fields = slices.DeleteFunc(fields, func(fd record.Field) bool {
			if !is(fd) {
				return false
			}
			r.noteSecret(fd.Kind, fd.Text)
			return true
		})
	}
	isValue := func(fd record.Field) bool { return !fd.Nested && isSettingValue(fd.Key, fd.Text) }
	if slices.ContainsFunc(fields, isValue) && r.isBesideSecret(fr) {
		drop(isValue)
		fr.hidSecret = true
	}
	fields = slices.DeleteFunc(fields, func(fd record.Field) bool { // {"card_number": 4539…, "id": 4539…}
		return secret.IsCardNumber(fd.Text) && slices.ContainsFunc(r.secrets, func(s []byte) bool { return bytes.Equal(s, fd.Text) })
	})
	if fr.hidSecret && !slices.ContainsFunc(fields, func(fd record.Field) bool { return fd.Key.IsID() }) {
		fields = nil
	}
	if slices.ContainsFunc(fields, func(fd record.Field) bool { return fd.Key.Snake == "kind" && string(fd.Text) == "Secret" }) {
		r.set.Drop(fr.found, finding.All)
		drop(func(fd record.Field) bool { return fd.Nested || !namesInSecret(fd.Key) })
	}
	r.fields = r.fields[:fr.fields+len(fields)]
}

const (
	// maxSecrets is the number of secrets of a result that are remembered, and minSecret the
	// length of the shortest one: a shorter one may be a part of any word.
	maxSecrets, minSecret = 64, 6
)

// noteSecret leaves out a secret, and remembers it in case the same text is read again as
// running text, where nothing tells what it is.
func (r *Reader) noteSecret(kind document.Kind, text []byte) {
	r.explainScalar(kind, text, "", record.Secret)
	if len(r.secrets) < maxSecrets && len(text) >= minSecret && len(text) <= maxFieldText && !secret.IsKey(english.Words(string(text))) { // "db_password" names one
		r.secrets = append(r.secrets, bytes.Clone(text))
	}
}

// withoutSecrets returns a text with the known secrets replaced by a mark.
func (r *Reader) withoutSecrets(text []byte) []byte {
	for _, s := range r.secrets {
		text = bytes.ReplaceAll(text, s, []byte(secret.Mark))
	}
	return text
}
