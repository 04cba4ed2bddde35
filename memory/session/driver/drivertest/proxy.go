package drivertest

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy is a TCP proxy on the loopback interface that fails as networks do. It is safe for
// concurrent use.
type Proxy struct {
	target  string
	address string

	mu       sync.Mutex
	listener net.Listener // nil while connections are refused
	open     map[*link]bool
	weather  weather
	// changed is closed when the weather changes.
	changed chan struct{}
	wg      sync.WaitGroup
}

// weather is the current failure.
type weather struct {
	// silent holds back everything in both directions.
	silent bool
	// delay is the delay of each answer.
	delay time.Duration
	// lose is the number of the next answer to lose, with its connection; 0 for none. With
	// every, all later answers are lost too.
	lose  int
	every bool
}

// link is a connection through the proxy.
type link struct{ client, server net.Conn }

func (l *link) cut() {
	_ = l.client.Close()
	_ = l.server.Close()
}

// NewProxy starts a proxy in front of a server at host:port. It ends with the test.
func NewProxy(tb testing.TB, server string) *Proxy {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("drivertest: %v", err)
	}
	p := &Proxy{
		target: server, address: listener.Addr().String(), open: make(map[*link]bool), changed: make(chan struct{}),
	}
	p.serve(listener)
	tb.Cleanup(p.close)
	return p
}

// Address returns the address of the proxy, host:port.
func (p *Proxy) Address() string { return p.address }

// Heal ends the failure. It sends on what Silence held back.
func (p *Proxy) Heal() error {
	p.set(weather{})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		return nil
	}
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		return err
	}
	p.serve(listener)
	return nil
}

// Refuse cuts all connections and refuses new ones until Heal.
func (p *Proxy) Refuse() {
	p.mu.Lock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
	p.mu.Unlock()
	p.Cut()
}

// Cut closes all current connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.open {
		l.cut()
	}
}

// Silence accepts connections, but holds back everything in both directions until Heal.
func (p *Proxy) Silence() { p.set(weather{silent: true}) }

// Delay delays each answer until Heal.
func (p *Proxy) Delay(d time.Duration) { p.set(weather{delay: d}) }

// LoseAnswer loses the n-th answer from now on, counted from 1, and its connection: the server
// has done what was requested, but the client does not learn of it. An answer is what the
// server sends in one piece. With every, all later answers are lost too, until Heal.
func (p *Proxy) LoseAnswer(n int, every bool) { p.set(weather{lose: n, every: every}) }

// Lost reports whether an answer was lost since LoseAnswer.
func (p *Proxy) Lost() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.weather.lose < 0
}

func (p *Proxy) set(w weather) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.weather = w
	close(p.changed)
	p.changed = make(chan struct{})
}

// serve accepts connections. The caller holds the lock or is NewProxy.
func (p *Proxy) serve(listener net.Listener) {
	p.listener = listener
	p.wg.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.join(client) })
		}
	})
}

// join forwards requests of a client, and the answers, until either side is cut.
func (p *Proxy) join(client net.Conn) {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	l := &link{client, server}
	p.mu.Lock()
	p.open[l] = true
	if p.listener == nil { // closed concurrently
		l.cut()
	}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.open, l)
		p.mu.Unlock()
	}()
	gone := make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() { defer l.cut(); _ = p.pump(server, client, gone, false) })
	both.Go(func() { defer close(gone); defer l.cut(); _ = p.pump(client, server, gone, true) })
	both.Wait()
}

var errLost = errors.New("answer is lost")

// pump forwards data from one side to the other. gone is closed with the server's side.
func (p *Proxy) pump(to io.Writer, from io.Reader, gone <-chan struct{}, answers bool) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if err := p.pass(gone, answers); err != nil {
				return err
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// pass returns when data that was read may be forwarded.
func (p *Proxy) pass(gone <-chan struct{}, answers bool) error {
	for {
		wait, changed, err := p.forecast(answers)
		if err != nil || wait == 0 {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			return nil
		case <-changed:
			timer.Stop()
		case <-gone:
			timer.Stop()
			return net.ErrClosed
		}
	}
}

// forecast returns how long to hold data back, unless the weather changes.
func (p *Proxy) forecast(answers bool) (wait time.Duration, changed <-chan struct{}, err error) {
	const forever = 1 << 62
	p.mu.Lock()
	defer p.mu.Unlock()
	w := &p.weather
	switch {
	case w.silent:
		return forever, p.changed, nil
	case !answers:
		return 0, nil, nil
	case w.lose > 1:
		w.lose--
	case w.lose == 1 || w.lose < 0 && w.every:
		w.lose = -1
		return 0, nil, errLost
	}
	return w.delay, p.changed, nil
}

func (p *Proxy) close() {
	p.Refuse()
	p.set(weather{})
	p.wg.Wait()
}
