/**
 * Sites around the recipes, which print their ports. The user is in the header `x-test-user`.
 */

export const pythonServer = `
import json, os
from http.server import BaseHTTPRequestHandler, HTTPServer
from natter import chat_token, verify_webhook

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('content-length') or 0))
        if self.path == '/chat-events':
            status, headers, text = 204 if verify_webhook(os.environ['NATTER_EVENTS_SECRET'], self.headers, body) else 401, {}, ''
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

export const flaskSite = {
  'session.py': `
import json
from flask import request

def current_user():
    return json.loads(request.headers.get('x-test-user') or 'null')
`,
  'server.py': `
from werkzeug.serving import make_server
from app import app

server = make_server('127.0.0.1', 0, app)
print('port', server.server_port, flush=True)
server.serve_forever()
`,
}

/** PHP's own server prints its address. */
export const phpSite = {
  'session.php': `<?php
function current_user(): ?array
{
    return json_decode($_SERVER['HTTP_X_TEST_USER'] ?? 'null', true);
}
`,
}

/** Ruby has no server for HTTP of its own. This one makes a Rack environment of each request. */
export const rubySite = {
  'session.rb': `
def current_user(env)
  JSON.parse(env['HTTP_X_TEST_USER'] || 'null', symbolize_names: true)
end
`,
  'server.rb': `
require 'socket'
require 'stringio'

def run(app)
  $app = app
end
load File.join(__dir__, 'config.ru')

server = TCPServer.new('127.0.0.1', 0)
puts "port #{server.addr[1]}"
$stdout.flush
loop do
  client = server.accept
  method, path = client.gets.split
  env = { 'REQUEST_METHOD' => method, 'PATH_INFO' => path }
  until (line = client.gets.chomp).empty?
    name, value = line.split(/:\\s*/, 2)
    env["HTTP_#{name.upcase.tr('-', '_')}"] = value
  end
  env['rack.input'] = StringIO.new(client.read(env['HTTP_CONTENT_LENGTH'].to_i).to_s)
  status, headers, body = $app.call(env)
  text = body.join
  client.write "HTTP/1.1 #{status} -\\r\\n", headers.map { |name, value| "#{name}: #{value}\\r\\n" }.join
  client.write "content-length: #{text.bytesize}\\r\\n" unless status == 204
  client.write "connection: close\\r\\n\\r\\n", text
  client.close
end
`,
}

export const goSite = {
  'go.mod': 'module example.com/shop\n\ngo 1.19\n',
  'main.go': `
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"

	"example.com/shop/natter"
)

func currentUser(r *http.Request) *natter.User {
	var user *natter.User
	json.Unmarshal([]byte(r.Header.Get("x-test-user")), &user)
	return user
}

func main() {
	mux := http.NewServeMux()
	addChatRoutes(mux)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("port", listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, mux))
}
`,
}
