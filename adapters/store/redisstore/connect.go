package redisstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	neturl "net/url"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// connect returns a client for a URL after checking that the server is supported.
func connect(ctx context.Context, url string) (redis.UniversalClient, error) {
	if parsed, err := neturl.Parse(url); err == nil && parsed.Query().Has("addr") {
		return connectCluster(ctx, url)
	}
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, badURL(err)
	}
	options.ContextTimeoutEnabled = true
	client := redis.NewClient(options)
	mode, err := checkServer(ctx, client)
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	if mode == "cluster" && options.Network != "unix" {
		if err := client.Close(); err != nil {
			return nil, fmt.Errorf("redisstore: open: %w", err)
		}
		return connectCluster(ctx, url)
	}
	return client, nil
}

func connectCluster(ctx context.Context, url string) (redis.UniversalClient, error) {
	options, err := redis.ParseClusterURL(url)
	if err != nil {
		return nil, badURL(err)
	}
	options.ContextTimeoutEnabled = true
	client := redis.NewClusterClient(options)
	if _, err := checkServer(ctx, client); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return client, nil
}

// badURL returns an error without the URL, which may contain a password.
func badURL(err error) error {
	if parse, ok := errors.AsType[*neturl.Error](err); ok {
		err = parse.Err
	}
	return fmt.Errorf("redisstore: open: invalid URL: %w", err)
}

// checkServer returns the mode of the server ("cluster", …), which is empty if the client may
// not ask for it. It returns an error if the server is too old or does not respond.
func checkServer(ctx context.Context, client redis.UniversalClient) (mode string, err error) {
	info, err := client.Info(ctx, "server").Result()
	if err != nil {
		if redis.HasErrorPrefix(err, "NOPERM") {
			return "", nil
		}
		return "", failure(ctx, "open", err)
	}
	fields := map[string]string{}
	for lines := bufio.NewScanner(strings.NewReader(info)); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok {
			fields[name] = strings.TrimSpace(value)
		}
	}
	if version := fields["redis_version"]; tooOld(version) {
		return "", fmt.Errorf("redisstore: open: Redis %s is not supported, need 6.2 or later", version)
	}
	return fields["redis_mode"], nil
}

// tooOld reports whether version is before 6.2. An unknown format counts as recent.
func tooOld(version string) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, err := strconv.Atoi(parts[0])
	if err != nil {
		return false
	}
	minor, err := strconv.Atoi(parts[1])
	return err == nil && (major < 6 || major == 6 && minor < 2)
}
