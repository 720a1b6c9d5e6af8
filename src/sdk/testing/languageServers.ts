/**
 * Sites around the recipes: each answers `POST /chat-token` for the user in the header `x-test-user`, and
 * `POST /chat-events`, and prints its port.
 */

export const pythonServer = `
import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from natter import chat_token, verify_webhook

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('content-length') or 0))
        if self.path == '/chat-events':
            status, headers, text = 204 if verify_webhook(self.headers, body) else 400, {}, ''
        else:
            user = json.loads(self.headers.get('x-test-user') or 'null')
            status, headers, text = chat_token(self.headers, body, user)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())
    def log_message(self, *args):
        pass

server = HTTPServer(('127.0.0.1', 0), Handler)
print('port', server.server_port, flush=True)
server.serve_forever()
`

/** For PHP's own server, which prints its address. */
export const phpServer = `<?php
require __DIR__ . '/natter.php';
if ($_SERVER['REQUEST_URI'] === '/chat-events') http_response_code(natter_verify_webhook() ? 204 : 400);
else natter_chat_token(json_decode($_SERVER['HTTP_X_TEST_USER'] ?? 'null', true));
`

/** Ruby has no server for HTTP of its own. This one makes a Rack environment of each request. */
export const rubyServer = `
require 'socket'
require 'stringio'
require_relative 'natter'

server = TCPServer.new('127.0.0.1', 0)
puts "port #{server.addr[1]}"
$stdout.flush
loop do
  client = server.accept
  path = client.gets.split[1]
  env = {}
  until (line = client.gets.chomp).empty?
    name, value = line.split(/:\\s*/, 2)
    env["HTTP_#{name.upcase.tr('-', '_')}"] = value
  end
  env['rack.input'] = StringIO.new(client.read(env['HTTP_CONTENT_LENGTH'].to_i).to_s)
  if path == '/chat-events'
    status, headers, body = Natter.verify_webhook(env) ? 204 : 400, {}, []
  else
    user = JSON.parse(env['HTTP_X_TEST_USER'] || 'null', symbolize_names: true)
    status, headers, body = Natter.chat_token(env, user)
  end
  text = body.join
  client.write "HTTP/1.1 #{status} -\\r\\n", headers.map { |name, value| "#{name}: #{value}\\r\\n" }.join
  client.write "content-length: #{text.bytesize}\\r\\n" unless status == 204
  client.write "connection: close\\r\\n\\r\\n", text
  client.close
end
`

export const goServer = `
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"

	"recipe/natter"
)

func main() {
	http.HandleFunc("/chat-token", natter.ChatToken(func(r *http.Request) *natter.User {
		var user *natter.User
		json.Unmarshal([]byte(r.Header.Get("x-test-user")), &user)
		return user
	}))
	http.HandleFunc("/chat-events", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if natter.VerifyWebhook(r.Header, body) {
			w.WriteHeader(http.StatusNoContent)
		} else {
			w.WriteHeader(http.StatusBadRequest)
		}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("port", listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, nil))
}
`
