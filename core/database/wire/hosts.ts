// A URL with several hosts, of which one takes writes. As with libpq, a connection goes to the first host that accepts it; the
// host of the last connection comes first.

/** The place of the host that took the last connection, by the URL of all. */
const chosen = new Map<string, number>()

/** The URLs of the single hosts; of a URL with one host itself. */
export function urlsOfHosts(url: string): readonly string[] {
  const question = url.indexOf('?')
  const given = new URLSearchParams(question < 0 ? '' : url.slice(question))
  const hosts = given.get('host')?.split(',') ?? []
  if (hosts.length < 2) return [url]
  const ports = given.get('port')?.split(',') ?? []
  return hosts.map((host, i) => {
    const own = new URLSearchParams(given)
    own.set('host', host)
    const port = ports.length === 1 ? ports[0] : ports[i]
    if (port) own.set('port', port)
    else own.delete('port')
    return `${url.slice(0, question)}?${own.toString().replaceAll('+', '%20')}`
  })
}

/** The URL of the host that took the last connection, or of the first one. */
export function currentHost(url: string): string {
  const urls = urlsOfHosts(url)
  return urls[chosen.get(url) ?? 0] ?? url
}

/** Whether connections go only to the host that takes writes; with one host there is no choice. */
export function needsPrimary(url: string): boolean {
  const attributes = new URLSearchParams(url.slice(url.indexOf('?'))).get('target_session_attrs')
  return attributes !== 'any' && urlsOfHosts(url).length > 1
}

/** The error of a host that is a standby, with the code of a server that does not accept connections yet. */
export const standbyError = (): Error =>
  Object.assign(new Error('the host is a standby, and no other host takes writes'), { code: '57P03' })

/** Connects to the hosts one after another until one accepts; rejects with the error of the last. */
export async function tryHosts<T>(url: string, connect: (host: string) => Promise<T>): Promise<T> {
  const urls = urlsOfHosts(url)
  if (urls.length === 1) return connect(url)
  const first = chosen.get(url) ?? 0
  let failure: unknown
  for (let tried = 0; tried < urls.length; tried++) {
    const place = (first + tried) % urls.length
    try {
      const connection = await connect(urls[place]!)
      chosen.set(url, place)
      return connection
    } catch (error) {
      failure = error
    }
  }
  throw failure
}
