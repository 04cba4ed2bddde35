package rest_test

import (
	"fmt"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
)

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

func behind(proxies ...netip.Prefix) option {
	return with(func(o *rest.Options) { o.TrustedProxies = proxies })
}

// clientIn returns the client in the log of a request from a peer with lines of X-Forwarded-For.
func clientIn(t testing.TB, peer string, forwarded []string, proxies ...netip.Prefix) string {
	log := new(syncbuffer.Buffer)
	s := start(t, logged(log), behind(proxies...))
	r := httptest.NewRequest("GET", "/v1/health", nil)
	r.RemoteAddr = peer
	for _, line := range forwarded {
		r.Header.Add("X-Forwarded-For", line)
	}
	s.send(r).is(200)
	_, text, _ := strings.Cut(log.String(), `"client":"`)
	text, _, _ = strings.Cut(text, `"`)
	return text
}

func TestClientAddresses(t *testing.T) {
	t.Parallel()
	inside := prefixes("10.0.0.0/8", "fd00::/8")
	for name, c := range map[string]struct {
		peer      string
		forwarded []string
		proxies   []netip.Prefix
		want      string
	}{
		"no proxies":                     {"10.0.0.1:80", []string{"192.0.2.1"}, nil, "10.0.0.1"},
		"peer is no proxy":               {"198.51.100.7:80", []string{"192.0.2.1"}, inside, "198.51.100.7"},
		"no header":                      {"10.0.0.1:80", nil, inside, "10.0.0.1"},
		"one proxy":                      {"10.0.0.1:80", []string{"192.0.2.1"}, inside, "192.0.2.1"},
		"the client forges":              {"10.0.0.1:80", []string{"203.0.113.5, 10.0.0.3, 192.0.2.1"}, inside, "192.0.2.1"},
		"two proxies":                    {"10.0.0.1:80", []string{"203.0.113.5,192.0.2.1, 10.0.0.2"}, inside, "192.0.2.1"},
		"several lines":                  {"10.0.0.1:80", []string{"203.0.113.5", "192.0.2.1", "10.0.0.2"}, inside, "192.0.2.1"},
		"a client among the proxies":     {"10.0.0.1:80", []string{"10.0.0.9, 10.0.0.2"}, inside, "10.0.0.9"},
		"not an address":                 {"10.0.0.1:80", []string{"192.0.2.1, unknown, 10.0.0.2"}, inside, "10.0.0.2"},
		"nothing but rubbish":            {"10.0.0.1:80", []string{"; drop table"}, inside, "10.0.0.1"},
		"an empty header":                {"10.0.0.1:80", []string{""}, inside, "10.0.0.1"},
		"empty entries":                  {"10.0.0.1:80", []string{"192.0.2.1,,"}, inside, "10.0.0.1"},
		"an empty line before":           {"10.0.0.1:80", []string{"192.0.2.1", ""}, inside, "10.0.0.1"},
		"with a port":                    {"10.0.0.1:80", []string{"192.0.2.1:4711"}, inside, "192.0.2.1"},
		"IPv6 with a port":               {"10.0.0.1:80", []string{"[2001:db8:1:2::3]:4711"}, inside, "2001:db8:1:2::/64"},
		"IPv6 in brackets":               {"10.0.0.1:80", []string{"[2001:db8:1:2::3]"}, inside, "2001:db8:1:2::/64"},
		"IPv6":                           {"[fd00::1]:80", []string{"2001:db8:1:2::3"}, inside, "2001:db8:1:2::/64"},
		"IPv4 in IPv6":                   {"[::ffff:10.0.0.1]:80", []string{"::ffff:192.0.2.1"}, inside, "192.0.2.1"},
		"with a zone":                    {"[fd00::1%eth0]:80", []string{"fe80::1%eth0"}, inside, "fe80::/64"},
		"loopback is not a proxy":        {"127.0.0.1:80", []string{"192.0.2.1"}, inside, "127.0.0.1"},
		"a Unix socket is no proxy":      {"@", []string{"192.0.2.1"}, inside, "local"},
		"a Unix socket":                  {"@", []string{"192.0.2.1"}, prefixes("127.0.0.1/32"), "192.0.2.1"},
		"a Unix socket, IPv6":            {"", []string{"192.0.2.1"}, prefixes("::1/128"), "192.0.2.1"},
		"a Unix socket without a header": {"@", nil, prefixes("127.0.0.0/8"), "local"},
		"every address":                  {"192.0.2.9:80", []string{"192.0.2.1, 192.0.2.2"}, prefixes("0.0.0.0/0"), "192.0.2.1"},
		"IPv6 is not in every IPv4":      {"[2001:db8::1]:80", []string{"192.0.2.1"}, prefixes("0.0.0.0/0"), "2001:db8::/64"},
		"a long header":                  {"10.0.0.1:80", []string{strings.Repeat("192.0.2.1,", 5000) + "192.0.2.2"}, inside, "192.0.2.2"},
		"a long header, all are proxies": {"10.0.0.1:80", []string{"192.0.2.1" + strings.Repeat(",10.0.0.1", 5000)}, inside, "192.0.2.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, clientIn(t, c.peer, c.forwarded, c.proxies...))
		})
	}
}

// Whatever a client sends, its address is the one from which it reached the first proxy.
func TestClientsCannotChooseTheirAddress(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		address := func(network string) *rapid.Generator[string] {
			return rapid.Custom(func(rt *rapid.T) string { return fmt.Sprint(network, rapid.IntRange(1, 254).Draw(rt, "host")) })
		}
		client := address("192.0.2.").Draw(rt, "client")
		forged := rapid.SliceOfN(rapid.OneOf(
			address("10.0.0."), address("203.0.113."), rapid.StringMatching(`[ -~]{0,20}`), rapid.SampledFrom([]string{"", ",", "unknown", "[", "10.0.0.1, 203.0.113.1", "::1", "for=203.0.113.1"}),
		), 0, 5).Draw(rt, "forged")
		proxies := rapid.SliceOfN(address("10.0.0."), 1, 4).Draw(rt, "proxies") // the one that the server sees last
		lines := slices.Clone(forged)
		for _, hop := range append([]string{client}, proxies[:len(proxies)-1]...) {
			if len(lines) == 0 || rapid.Bool().Draw(rt, "as a line of its own") {
				lines = append(lines, hop)
			} else {
				lines[len(lines)-1] += ", " + hop
			}
		}
		got := clientIn(t, proxies[len(proxies)-1]+":80", lines, prefixes("10.0.0.0/8")...)
		require.Equal(rt, client, got, "%q", lines)
	})
}

// Rates and failures count for the address behind the proxy.
func TestLimitsBehindAProxy(t *testing.T) {
	t.Parallel()
	proxies := behind(prefixes("10.0.0.1/32")...)
	from := func(s *server, client string, headers ...string) reply {
		r := httptest.NewRequest("GET", "/v1/working-memory/", nil)
		r.RemoteAddr = "10.0.0.1:80"
		return s.send(r, append(headers, "X-Forwarded-For: 203.0.113.1, "+client)...)
	}
	s := start(t, proxies, with(func(o *rest.Options) { o.Rate = 1 }))
	from(s, "192.0.2.1").is(200)
	from(s, "192.0.2.1").is(429)
	from(s, "192.0.2.2").is(200)
	s = start(t, proxies, withTokens)
	token, _ := s.token(auth.Tenant{}, 0)
	for range 100 {
		from(s, "192.0.2.1", "Authorization: Bearer guess").is(401)
	}
	from(s, "192.0.2.1", "Authorization: Bearer guess").is(429)
	from(s, "192.0.2.2", "Authorization: Bearer guess").is(401)
	from(s, "192.0.2.1", "Authorization: Bearer "+token).is(200)
}
