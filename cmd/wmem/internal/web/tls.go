package web

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
)

// TLSFrom reads a certificate and its key; names are of files, "" for none.
//
// Each handshake looks whether the files have changed, and reads them again if so: a renewed
// certificate needs no restart. While what they hold cannot be used, as between the writing of
// the one and of the other, the certificate that was read last is served; the logger is told
// once.
func TLSFrom(cert, key string, logger *slog.Logger) (*tls.Config, error) {
	if cert == "" && key == "" {
		return nil, nil
	}
	c := &certificate{files: [2]string{cert, key}, logger: logger}
	if err := c.read(); err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	return &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12}, nil
}

// certificate is a certificate of two files, and its key.
type certificate struct {
	files  [2]string
	logger *slog.Logger

	mu   sync.Mutex
	seen [2]os.FileInfo // of the files that were read last; nil: not there
	pair *tls.Certificate
}

// get is for tls.Config.GetCertificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed() {
		if err := c.read(); err != nil {
			c.logger.Error("web: the certificate changed and cannot be used: the one before is still served", "error", err)
		} else {
			c.logger.Info("web: the certificate was read again")
		}
	}
	return c.pair, nil
}

func (c *certificate) changed() bool {
	for i, now := range c.statFiles() {
		before := c.seen[i]
		switch {
		case now == nil || before == nil:
			if now != before {
				return true
			}
		case !os.SameFile(now, before) || !now.ModTime().Equal(before.ModTime()) || now.Size() != before.Size():
			return true
		}
	}
	return false
}

// statFiles looks at the files: before they are read, so that what is written meanwhile is seen the
// next time.
func (c *certificate) statFiles() (infos [2]os.FileInfo) {
	for i, name := range c.files {
		if info, err := os.Stat(name); err == nil {
			infos[i] = info
		}
	}
	return infos
}

// read reads the files. If that fails, the pair stays what it was.
func (c *certificate) read() error {
	c.seen = c.statFiles()
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err != nil {
		return err
	}
	c.pair = &pair
	return nil
}
