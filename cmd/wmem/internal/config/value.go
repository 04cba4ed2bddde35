package config

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt/tiktoken"
)

// value is a pflag.Value whose Set is a function. Errors do not quote the text.
type value struct {
	kind string
	text string
	set  func(string) error
}

var _ pflag.Value = (*value)(nil)

// Set implements pflag.Value.
func (v *value) Set(text string) error {
	if err := v.set(text); err != nil {
		return err
	}
	v.text = text
	return nil
}

// String implements pflag.Value.
func (v *value) String() string { return v.text }

// Type implements pflag.Value.
func (v *value) Type() string { return v.kind }

func text(p *string) *value {
	return &value{kind: "text", text: *p, set: func(text string) error { *p = text; return nil }}
}

func number(p *int, least int) *value {
	return &value{kind: "number", text: strconv.Itoa(*p), set: func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > math.MaxInt32 {
			return fmt.Errorf("must be a whole number of at least %d", least)
		}
		*p = n
		return nil
	}}
}

func float(p *float64, want string, allowed func(float64) bool) *value {
	return &value{kind: "number", text: strconv.FormatFloat(*p, 'g', -1, 64), set: func(text string) error {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || !allowed(f) {
			return errors.New(want)
		}
		*p = f
		return nil
	}}
}

func share(p *float64) *value {
	return float(p, "must be a number above 0 and up to 1", func(f float64) bool { return f > 0 && f <= 1 })
}

func rate(p *float64) *value {
	return float(p, "must be a number of at least 0", func(f float64) bool { return f >= 0 })
}

func duration(p *time.Duration) *value {
	return &value{kind: "duration", text: p.String(), set: func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return errors.New("must be a duration such as 30s or 24h")
		}
		*p = d
		return nil
	}}
}

// onOff is a boolean.
func onOff(p *bool) *value {
	shown := map[bool]string{true: "on", false: "off"}
	return &value{kind: "switch", text: shown[*p], set: func(text string) error {
		switch strings.ToLower(text) {
		case "on", "true", "1", "yes":
			*p = true
		case "off", "false", "0", "no":
			*p = false
		default:
			return errors.New("must be on or off")
		}
		return nil
	}}
}

// choice is one of several words. A word of the form old=new is an alias for new.
func choice(p *string, words ...string) *value {
	return &value{kind: "word", text: *p, set: func(text string) error {
		for _, word := range words {
			name, meant, other := strings.Cut(word, "=")
			if !other {
				meant = name
			}
			if strings.EqualFold(text, name) {
				*p = meant
				return nil
			}
		}
		own := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.Contains(w, "=") })
		return fmt.Errorf("must be one of %s", strings.Join(own, ", "))
	}}
}

// names is a list of names.
func names(p *[]string) *value {
	return &value{kind: "names", text: strings.Join(*p, ","), set: func(text string) error {
		var all []string
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name == "" {
				return errors.New("must be names separated by commas")
			}
			all = append(all, name)
		}
		*p = all
		return nil
	}}
}

// prefixes is a list of addresses and networks.
func prefixes(p *[]netip.Prefix) *value {
	return &value{kind: "addresses", set: func(text string) error {
		var all []netip.Prefix
		for part := range strings.SplitSeq(text, ",") {
			prefix, err := parsePrefix(strings.TrimSpace(part))
			if err != nil || prefix.Addr().Is4In6() {
				return errors.New("must be addresses or networks separated by commas, such as 10.0.0.0/8,::1")
			}
			all = append(all, prefix)
		}
		*p = all
		return nil
	}}
}

// parsePrefix parses a network, or an address as the network of it alone.
func parsePrefix(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		return netip.ParsePrefix(text)
	}
	addr, err := netip.ParseAddr(text)
	addr = addr.Unmap().WithZone("")
	return netip.PrefixFrom(addr, addr.BitLen()), err
}

// size is a number of bytes of at least least, with an optional unit.
func size(p *int64, least int64) *value {
	shown := "0"
	if *p > 0 {
		shown = strconv.FormatInt(*p>>20, 10) + "MiB"
	}
	return &value{kind: "size", text: shown, set: func(text string) error {
		digits, unit := text, int64(1)
		for suffix, bytes := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
			if before, ok := strings.CutSuffix(text, suffix); ok {
				digits, unit = before, bytes
			}
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < least || n > math.MaxInt64/unit {
			return errors.New("must be a size such as 1048576, 512KiB or 8MiB")
		}
		*p = n * unit
		return nil
	}}
}

// results is a number of tokens from which results are stored, or a switch.
func results(p *int) *value {
	v := &value{kind: "tokens", text: "off"}
	v.set = func(text string) error {
		if number(p, 1).Set(text) == nil {
			return nil
		}
		var on bool
		if onOff(&on).Set(text) != nil {
			return errors.New("must be on, off, or a number of tokens")
		}
		if *p = 0; on {
			*p = middleware.DefaultThreshold
		}
		return nil
	}
	return v
}

// journal is a size, or a switch: on is 0, and off is -1.
func journal(p *int64) *value {
	return &value{kind: "size", text: "on", set: func(text string) error {
		var on bool
		switch {
		case onOff(&on).Set(text) == nil && !on:
			*p = -1
		case on:
			*p = 0
		case size(p, 1).Set(text) != nil:
			return errors.New("must be on, off, or a size such as 512KiB or 1MiB")
		}
		return nil
	}}
}

// recipes is a folder whose rules are read at once.
func recipes(p *[]extractor.Rule) *value {
	return &value{kind: "folder", set: func(text string) (err error) {
		*p, err = ReadRecipes(text)
		return err
	}}
}

// ReadRecipes reads the rules in a folder on disk, as extractor.ReadRecipes does.
func ReadRecipes(folder string) ([]extractor.Rule, error) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, errors.New("must be a folder with .yaml files")
	}
	return extractor.ReadRecipes(os.DirFS(folder))
}

func level(p *slog.Level) *value {
	return &value{kind: "level", text: strings.ToLower(p.String()), set: func(text string) error {
		if p.UnmarshalText([]byte(text)) != nil {
			return errors.New("must be one of debug, info, warn, error")
		}
		return nil
	}}
}

func encoding(p *string) *value {
	return &value{kind: "name", text: *p, set: func(text string) error {
		if text != Estimate {
			if _, err := tiktoken.New(text); err != nil {
				return errors.New("must be one of o200k_base, cl100k_base, p50k_base, r50k_base, estimate")
			}
		}
		*p = text
		return nil
	}}
}
