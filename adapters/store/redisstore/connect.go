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

// connect returns a client for a url and finds out whether what is there can be used.
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

// badURL leaves out the url: a password may be in it.
func badURL(err error) error {
	if parse, ok := errors.AsType[*neturl.Error](err); ok {
		err = parse.Err
	}
	return fmt.Errorf("redisstore: open: bad url: %w", err)
}

// checkServer returns the mode that the server runs in, if it says it, and an error if
// it is too old, or not there.
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
		return "", fmt.Errorf("redisstore: open: the server is Redis %s, at least 6.2 is needed", version)
	}
	return fields["redis_mode"], nil
}

// tooOld reports whether a version is one before 6.2. One that cannot be read is not.
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
