// Stops PostgreSQL when a program ends without closing its engine, by a signal or a crash. A shell, which needs few
// resources, waits until its pipe closes, which the system does for every process that ends.

import { spawn } from 'node:child_process'

export interface WatchOptions {
  /** The directory of the cluster. */
  readonly cluster: string
  /** How PostgreSQL is stopped: `INT` in order, `QUIT` at once. */
  readonly signal: 'INT' | 'QUIT'
  /** A directory to remove afterwards. */
  readonly remove?: string
}

/** A program that closes its engine writes `done`. */
const script = `
read word && [ "$word" = done ] && exit
pid=$(head -n 1 "$1/postmaster.pid") && kill "-$2" "$pid"
[ -z "$3" ] && exit
while kill -0 "$pid"; do sleep 0.1; done
rm -rf "$3"`

/** Watches over a running PostgreSQL; the returned function ends the watch. */
export function watchOver({ cluster, signal, remove = '' }: WatchOptions): () => void {
  // On Windows the next start in the directory stops a PostgreSQL that was left running.
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
  // The pipe is a socket for Node: unref lets the program end.
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
  return () => child.stdin.end('done\n')
}
