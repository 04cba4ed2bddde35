package web_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/web"
)

// pair is a certificate and its key in two files with modification times set by the test.
type pair struct {
	t         *testing.T
	cert, key string
	now       time.Time
}

// write writes both files with a later modification time. It removes a file whose text is empty.
func (p *pair) write(cert, key []byte) {
	p.t.Helper()
	p.now = p.now.Add(time.Second)
	for name, text := range map[string][]byte{p.cert: cert, p.key: key} {
		if len(text) == 0 {
			require.NoError(p.t, os.RemoveAll(name))
			continue
		}
		require.NoError(p.t, os.WriteFile(name, text, 0o600))
		require.NoError(p.t, os.Chtimes(name, p.now, p.now))
	}
}

// issue returns a certificate with a serial number, and its key.
func issue(t *testing.T, number int64) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(number), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}

// Without files there is no TLS. Versions before 1.2 are refused.
func TestTLSFrom(t *testing.T) {
	t.Parallel()
	config, err := web.TLSFrom("", "", nil)
	require.NoError(t, err)
	assert.Nil(t, config)
	dir := t.TempDir()
	p := &pair{t: t, cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem"), now: time.Now()}
	p.write(issue(t, 1))
	for _, key := range []string{"", "no-such-file", p.cert} {
		_, err = web.TLSFrom(p.cert, key, nil)
		require.Error(t, err, key)
	}
	config, err = web.TLSFrom(p.cert, p.key, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	s := &web.Server{Handler: http.NotFoundHandler(), RequestTimeout: time.Minute, Grace: time.Minute, TLS: config, Logger: slog.New(slog.DiscardHandler)}
	go func() { ended <- s.Run(ctx, l) }()
	for version, accepted := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		conn, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version})
		assert.Equal(t, accepted, err == nil, "%x: %v", version, err)
		if err == nil {
			require.NoError(t, conn.Close())
		}
	}
	stop()
	require.NoError(t, <-ended)
}

// A handshake after a change of the files uses the new certificate. Unusable files are logged once
// and change nothing.
func TestRenewedCertificates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := &pair{t: t, cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem"), now: time.Now().Add(-time.Hour)}
	firstCert, firstKey := issue(t, 1)
	secondCert, secondKey := issue(t, 2)
	thirdCert, thirdKey := issue(t, 3)
	p.write(firstCert, firstKey)
	var log bytes.Buffer
	config, err := web.TLSFrom(p.cert, p.key, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)

	for _, step := range []struct {
		name      string
		cert, key []byte // both nil: nothing is written
		want      int64
		logged    string // "" for nothing
	}{
		{"as it began", nil, nil, 1, ""},
		{"renewed", secondCert, secondKey, 2, "level=INFO"},
		{"read once", nil, nil, 2, ""},
		{"a certificate without its key", thirdCert, secondKey, 2, "private key does not match"},
		{"logged once", nil, nil, 2, ""},
		{"then its key", thirdCert, thirdKey, 3, "level=INFO"},
		{"cut off", thirdCert[:100], thirdKey, 3, "level=ERROR"},
		{"gone", []byte{}, []byte{}, 3, "no such file"},
		{"still gone", nil, nil, 3, ""},
		{"there again", firstCert, firstKey, 1, "level=INFO"},
	} {
		if step.cert != nil {
			p.write(step.cert, step.key)
		}
		log.Reset()
		assert.Equal(t, step.want, handshake(t, config), step.name)
		assert.Equal(t, min(1, len(step.logged)), strings.Count(log.String(), "\n"), "%s: %s", step.name, &log)
		assert.Contains(t, log.String(), step.logged, step.name)
	}
	assert.NotContains(t, log.String(), "PRIVATE")

	// Another size and the same time.
	require.NoError(t, os.WriteFile(p.cert, append(firstCert, '\n'), 0o600))
	require.NoError(t, os.Chtimes(p.cert, p.now, p.now))
	log.Reset()
	assert.Equal(t, int64(1), handshake(t, config))
	assert.Contains(t, log.String(), "certificate reloaded")
	require.NoError(t, os.WriteFile(p.cert, firstCert, 0o600))
	require.NoError(t, os.Chtimes(p.cert, p.now, p.now))
	handshake(t, config)

	// Another file of the same size and time, as behind a changed link.
	old := p.now
	renewed := &pair{t: t, cert: p.cert + ".new", key: p.key + ".new", now: old.Add(-time.Second)}
	renewed.write(firstCert, firstKey)
	require.NoError(t, os.Rename(renewed.cert, p.cert))
	log.Reset()
	assert.Equal(t, int64(1), handshake(t, config))
	assert.Contains(t, log.String(), "certificate reloaded")
}

// handshake returns the serial number of the certificate that a client receives.
func handshake(t *testing.T, config *tls.Config) int64 {
	t.Helper()
	a, b := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- tls.Server(a, config).HandshakeContext(t.Context()) }()
	c := tls.Client(b, &tls.Config{InsecureSkipVerify: true})
	require.NoError(t, c.HandshakeContext(t.Context()))
	number := c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	require.NoError(t, b.Close())
	<-served // may be told that the pipe is closed before it has sent all
	require.NoError(t, a.Close())
	return number
}
