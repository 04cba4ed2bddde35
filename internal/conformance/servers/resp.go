//go:build unix

package servers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// redisCommand sends one command on a new connection and returns the answer, which must be a
// string. It avoids a dependency on a client library.
func redisCommand(ctx context.Context, address string, command ...string) (string, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return "", err
		}
	}
	var request strings.Builder
	fmt.Fprintf(&request, "*%d\r\n", len(command))
	for _, word := range command {
		fmt.Fprintf(&request, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := io.WriteString(conn, request.String()); err != nil {
		return "", err
	}
	return redisAnswer(bufio.NewReader(conn))
}

func redisAnswer(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	kind, text := line[0], strings.TrimRight(line[1:], "\r\n")
	switch kind {
	case '+':
		return text, nil
	case '-':
		return "", errors.New(text)
	case '$':
		size, err := strconv.Atoi(text)
		if err != nil || size < 0 {
			return "", fmt.Errorf("answer of size %q", text)
		}
		body := make([]byte, size)
		_, err = io.ReadFull(r, body)
		return string(body), err
	}
	return "", fmt.Errorf("answer of kind %q", kind)
}
