package rest

import (
	"net/netip"
	"slices"
	"strings"
)

// local is the client of a request over a Unix socket.
const local = "local"

// clientOf returns the client that requests are counted for and logged with: the address of the
// peer, or if that is one of the proxies, the nearest address in X-Forwarded-For that is not.
// An IPv6 address is reduced to its network, the least that one client has.
func clientOf(peer string, forwarded []string, proxies []netip.Prefix) string {
	addr := originOf(parseHop(peer), forwarded, proxies)
	switch {
	case !addr.IsValid():
		return local
	case addr.Is6():
		return netip.PrefixFrom(addr, 64).Masked().String()
	}
	return addr.String()
}

// originOf follows X-Forwarded-For from the peer to the client. Each proxy appends the address
// of its own peer, so an entry is known to be true only if a proxy is next to it: everything
// further left may be forged. It ends at an entry that is not an address. The peer is the zero
// address for a Unix socket, which counts as loopback.
func originOf(peer netip.Addr, forwarded []string, proxies []netip.Prefix) netip.Addr {
	addr, line := peer, strings.Join(forwarded, ",")
	for isProxy(addr, proxies) {
		at := strings.LastIndexByte(line, ',')
		next := parseHop(line[at+1:])
		if !next.IsValid() {
			break
		}
		addr, line = next, line[:max(at, 0)]
	}
	return addr
}

func isProxy(addr netip.Addr, proxies []netip.Prefix) bool {
	contains := func(addr netip.Addr) bool {
		return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
	}
	if !addr.IsValid() {
		return contains(netip.AddrFrom4([4]byte{127, 0, 0, 1})) || contains(netip.IPv6Loopback())
	}
	return contains(addr)
}

// parseHop parses an address with or without a port, or returns the zero address.
func parseHop(text string) netip.Addr {
	text = strings.TrimSpace(text)
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone("")
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text, _ = strings.CutSuffix(inner, "]")
	}
	addr, _ := netip.ParseAddr(text)
	return addr.Unmap().WithZone("")
}
