// Sees to it that PostgreSQL does not outlive a program that ends without closing its engine, by a signal or a crash: a
// shell, which takes next to nothing, waits until the pipe to it is closed, as the system does for every process that ends.

import { spawn } from 'node:child_process'

export interface WatchOptions {
  /** The directory of the cluster. */
  readonly cluster: string
  /** How PostgreSQL is ended: in order, or at once. */
  readonly signal: 'INT' | 'QUIT'
  /** A directory to remove then. */
  readonly remove?: string
}

/** `done` is what the program says that closed its engine. */
const script = `
read word && [ "$word" = done ] && exit
pid=$(head -n 1 "$1/postmaster.pid") && kill "-$2" "$pid"
[ -z "$3" ] && exit
while kill -0 "$pid"; do sleep 0.1; done
rm -rf "$3"`

/** Watches over a PostgreSQL that runs; the function that is returned ends the watch. */
export function watchOver({ cluster, signal, remove = '' }: WatchOptions): () => void {
  // Elsewhere the next start on the directory ends what was left.
  if (process.platform === 'win32') return () => {}
  const child = spawn('/bin/sh', ['-c', script, 'sh', cluster, signal, remove], {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  child.unref()
  // A pipe is a socket: it keeps no program from ending.
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
  return () => child.stdin.end('done\n')
}
