package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

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

	exit, _, stderr := wmem(t, "", "serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--tls-cert", cert, "--tls-key", cert)
	assert.Equal(t, exitFailure, exit)
	assert.Contains(t, stderr, "TLS: ")
	exit, _, stderr = wmem(t, "", "serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--tls-cert", cert)
	assert.Equal(t, exitUsage, exit)
	assert.Contains(t, stderr, "must be used together")
}

// certificate writes a certificate for 127.0.0.1 and its key, and returns a pool that trusts it.
func certificate(t *testing.T, dir string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	lent := httptest.NewTLSServer(nil) // for its certificate
	defer lent.Close()
	private, err := x509.MarshalPKCS8PrivateKey(lent.TLS.Certificates[0].PrivateKey)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: lent.Certificate().Raw}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	pool = x509.NewCertPool()
	pool.AddCert(lent.Certificate())
	return cert, key, pool
}
