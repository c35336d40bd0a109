// The addresses of the console and its files.

import { randomBytes } from 'node:crypto'
import {
  browserFile,
  Gzipped,
  hasAdminSecret,
  type Route,
  type RouteCall,
  type RouteRequest,
  wantsHtml,
} from '../../sdk/http.ts'
import { type Engine, notFound } from '../../sdk/index.ts'
import { filesState, loadFiles } from './assets.ts'
import type { Extensions } from './parts.ts'

type Described = Pick<Engine, 'dialect' | 'observe' | 'settings'> & {
  readonly options: { readonly consoleReadOnly: boolean }
}

/** Headers of every page. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Each address of the console has the same page, which reads its address. */
export function pageRoutes({ dialect, observe, options, settings }: Described): Route[] {
  const facts = JSON.stringify({
    adminSecretHeader: dialect.adminSecretHeader,
    roleHeader: dialect.roleVariable,
    variablePrefix: dialect.sessionPrefix,
    isOpen: !hasAdminSecret(settings),
    isReadOnly: options.consoleReadOnly,
  }).replaceAll('"', '&quot;')
  const handle = async ({ request, reply }: RouteCall) => {
    reply.raw.appendHeader('vary', 'Accept')
    if (!wantsHtml(request)) throw notFound()
    const state = await filesState()
    reply.headers(pageHeaders)
    if (state.kind !== 'ready') {
      reply.code(503).headers({ 'retry-after': '1', 'content-security-policy': noticePolicy })
      if (state.kind === 'building') return notice(building)
      observe.log({ type: 'unstructured', level: 'error', detail: `the console cannot be built: ${state.message}` })
      return notice(failed)
    }
    const nonce = randomBytes(16).toString('base64')
    reply.header('content-security-policy', contentSecurityPolicy(nonce))
    const page = (await new Gzipped(state.files.get('index.html')!).unpacked()).toString()
    return page
      .replaceAll('"./assets/', `"${directoryOf(request)}assets/`)
      .replaceAll('{nonce}', nonce)
      .replace('{facts}', facts)
  }
  const about = { summary: 'The console, for browsers.', contentType: 'text/html' }
  return ['/console', '/console/*'].map((url) => ({
    ...{ method: 'GET', url, auth: 'none', about, handle },
    ...(url === '/console' && { shownAs: 'Console' }),
  }))
}

/** The way from the address of a page to the console's directory: addresses are relative, to work below a prefix. */
function directoryOf({ url, routeOptions }: RouteRequest): string {
  const [path = ''] = url.split('?')
  const own = (routeOptions.url ?? '').replace(/(?:\/\*|\/x\/:plugin\/:file)$/, '')
  const depth = path.split('/').length - own.split('/').length
  return depth === 0 ? './console/' : depth === 1 ? './' : '../'.repeat(depth - 1)
}

/** The root of the server leads browsers to the console. It is not a resource for others. */
export const rootRoute: Route = {
  method: 'GET',
  url: '/',
  auth: 'none',
  about: { summary: 'Leads browsers to the console.', contentType: 'text/html' },
  handle({ request, reply }) {
    reply.raw.appendHeader('vary', 'Accept')
    if (!wantsHtml(request)) throw notFound()
    reply.code(302).headers({ location: 'console/', 'cache-control': 'no-store' })
    return ''
  },
}

/** A file of the console. The name of each but the licences tells its content. */
export const assetRoute: Route = {
  method: 'GET',
  url: '/console/assets/:file',
  auth: 'none',
  about: { summary: 'A file of the console.', contentType: 'text/javascript' },
  async handle(call) {
    const { file: name = '' } = call.request.params
    const gzipped = (await loadFiles()).get(name)
    return browserFile(call, { name, gzipped, isImmutable: name !== 'licences.txt' })
  },
}

/** The module of a part of the console; other addresses there are those of pages. */
export const moduleRoute = (extensions: Extensions, page: Route): Route => ({
  method: 'GET',
  url: '/console/x/:plugin/:file',
  auth: 'none',
  about: { summary: "A plugin's module for the console.", contentType: 'text/javascript' },
  async handle(call) {
    const { plugin = '', file: name = '' } = call.request.params
    if (!name.endsWith('.js')) return page.handle(call)
    return browserFile(call, { name, gzipped: await extensions.module(plugin, name), isImmutable: true })
  },
})

/**
 * The header `content-security-policy`: the page may run its own scripts and ask its own server, and nothing else. The
 * nonce is for the style elements of the editor and of Base UI. The one policy of trusted types makes workers.
 */
const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types trellis-worker',
  ].join('; ')

const noticePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

const building = {
  title: 'The console is being built',
  text: 'This happens once after its sources have changed, and takes some seconds. The page loads itself again.',
  refresh: '<meta http-equiv="refresh" content="1">',
}

const failed = {
  title: 'The console could not be built',
  text: 'The log of the server says why. Loading this page again tries once more.',
  refresh: '',
}

const notice = ({
  title,
  text,
  refresh,
}: Readonly<Record<'title' | 'text' | 'refresh', string>>): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
${refresh}
<title>${title}</title>
<style>body { font: 1rem/1.5 sans-serif; margin: 3rem auto; max-width: 40rem; padding: 0 1rem }</style>
<h1>${title}</h1>
<p>${text}</p>
</html>
`
