package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServeTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key, pool := certificate(t, dir)
	s := startServe(t, "--tls-cert", cert, "--tls-key", key)
	assert.Regexp(t, `^wmem: listening on https://127\.0\.0\.1:\d+, `, s.errs.String())

	secure := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	answer, err := secure.Get(s.url + "/v1/ready")
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	assert.Equal(t, http.StatusOK, answer.StatusCode)
	code, _ := (&served{url: "http" + s.url[len("https"):]}).get(t, "/v1/ready", "")
	assert.Equal(t, http.StatusBadRequest, code, "plain HTTP")
	assert.Equal(t, exitOK, s.stop())

	_, another, _ := certificate(t, t.TempDir())
	exit, _, stderr := wmem(t, "", "serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--tls-cert", cert, "--tls-key", another)
	assert.Equal(t, exitFailure, exit)
	assert.Contains(t, stderr, "TLS: ")
	exit, _, stderr = wmem(t, "", "serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--tls-cert", cert)
	assert.Equal(t, exitUsage, exit)
	assert.Contains(t, stderr, "must be used together")
}

// certificate writes a certificate for 127.0.0.1 and its key, and returns a pool that trusts it.
func certificate(t *testing.T, dir string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	require.NoError(t, os.WriteFile(cert, certPEM, 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}), 0o600))
	pool = x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(certPEM))
	return cert, key, pool
}
