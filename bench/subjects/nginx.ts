import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether nginx is installed. */
export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** Writes the configuration of an nginx that takes and gives files below `root`, as WebDAV. */
export function prepareNginx(root: string, port: number): { words: string[]; pidFile: string } {
  for (const name of ['nginx', 'nginx/files', 'nginx/incoming']) mkdirSync(join(root, name));
  const own = join(root, 'nginx');
  const pidFile = join(own, 'pid');
  const isRoot = process.getuid?.() === 0;
  const config = `
    daemon off;
    ${isRoot ? 'user root;' : ''}
    worker_processes 1;
    pid ${pidFile};
    error_log ${join(own, 'errors')};
    events {}
    http {
      access_log off;
      sendfile on;
      tcp_nopush on;
      keepalive_requests 1000000;
      client_body_temp_path ${join(own, 'incoming')};
      server {
        listen 127.0.0.1:${port};
        root ${join(own, 'files')};
        client_max_body_size 0;
        dav_methods PUT;
        create_full_put_path on;
      }
    }`;
  const file = join(own, 'config');
  writeFileSync(file, config);
  return { words: ['-p', own, '-c', file], pidFile };
}
