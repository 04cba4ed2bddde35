package web

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
)

// TLSFrom reads a certificate and its key from files. It returns nil if both names are empty.
//
// Each handshake reloads the files if they have changed, so a renewed certificate needs no
// restart. If they cannot be loaded, as between the writing of one file and of the other, the
// previous certificate is served and the failure is logged once.
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

// certificate is a certificate and its key, reloaded from two files.
type certificate struct {
	files  [2]string
	logger *slog.Logger

	mu   sync.Mutex
	seen [2]os.FileInfo // of the files when last read; nil if missing
	pair *tls.Certificate
}

// get implements tls.Config.GetCertificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed() {
		if err := c.read(); err != nil {
			c.logger.Error("web: changed certificate cannot be loaded: still serving the previous one", "error", err)
		} else {
			c.logger.Info("web: certificate reloaded")
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

// statFiles returns the state of the files. It is called before reading them, so that a write
// during the read is noticed next time.
func (c *certificate) statFiles() (infos [2]os.FileInfo) {
	for i, name := range c.files {
		if info, err := os.Stat(name); err == nil {
			infos[i] = info
		}
	}
	return infos
}

// read reads the files. If it fails, the pair is unchanged.
func (c *certificate) read() error {
	c.seen = c.statFiles()
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err != nil {
		return err
	}
	c.pair = &pair
	return nil
}
