import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const nginxProgram = '/usr/sbin/nginx';

/**
 * Starts nginx on a port in front of object servers, as docs/object-storage.md has it, without https.
 * @param further directives for the API: `proxy_request_buffering off;` in front of one server.
 */
export function startNginx(root: string, port: number, servers: readonly number[], further = '') {
  const directory = join(root, 'nginx');
  mkdirSync(directory);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off; pid ${directory}/pid; worker_processes 1; ${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 4096; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')}
  upstream waypointd {
    ${servers.map((server) => `server 127.0.0.1:${server} max_fails=0;`).join(' ')}
    keepalive 16;
  }
  server {
    listen 127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Connection "";
    proxy_set_header X-Forwarded-For $remote_addr;
    client_max_body_size 0;
    proxy_connect_timeout 2s;
    location / {
      proxy_pass http://waypointd;
      proxy_next_upstream error timeout non_idempotent;
      ${further}
    }
    location ~ /content$ {
      proxy_pass http://waypointd;
      proxy_request_buffering off;
      proxy_buffering off;
    }
  }
}
`,
  );
  const words = ['-c', join(directory, 'nginx.conf'), '-e', join(directory, 'error.log')];
  return spawn(nginxProgram, words, { stdio: 'ignore' });
}
