// The addresses of the page and its files.

import { randomBytes } from 'node:crypto'
import { browserFile, Gzipped, hasAdminSecret, type Route, type RouteCall, wantsHtml } from '../../sdk/http.ts'
import { type Engine, notFound } from '../../sdk/index.ts'
import { loadAssets } from './assets.ts'

/**
 * The page, for browsers; others are answered as where there is nothing. Addresses in it are relative, so that it works
 * below a prefix: the URLs are all in one directory.
 */
export function pageRoutes(
  { dialect, routes, settings }: Pick<Engine, 'dialect' | 'routes' | 'settings'>,
  urls: readonly string[],
): Route[] {
  const names = () => ({
    adminSecretHeader: dialect.adminSecretHeader,
    roleHeader: dialect.roleVariable,
    variablePrefix: dialect.sessionPrefix,
    isOpen: !hasAdminSecret(settings),
    hasMetadata: routes.all().some(({ url }) => url === '/v1/query'),
  })
  const about = { summary: 'GraphiQL, a page to try the API, for browsers.', contentType: 'text/html' }
  const handle = async ({ request, reply }: RouteCall) => {
    reply.raw.appendHeader('vary', 'Accept')
    if (!wantsHtml(request)) throw notFound()
    const nonce = randomBytes(16).toString('base64')
    const page = await pageTemplate()
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(nonce),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    return page.replace('{nonce}', nonce).replace('{names}', JSON.stringify(names()).replaceAll('"', '&quot;'))
  }
  return urls.map((url) => ({
    method: 'GET',
    url,
    auth: 'none',
    about,
    handle,
    ...(url === '/graphiql' && { shownAs: 'GraphiQL' }),
  }))
}

/** The root where console and GraphiQL are off because there is a secret: browsers get advice there. It is not a resource. */
export const hintRoute: Route = {
  method: 'GET',
  url: '/',
  auth: 'none',
  about: { summary: 'Explains to browsers how to turn the console and GraphiQL on.', contentType: 'text/html' },
  handle({ request, reply }) {
    reply.raw.appendHeader('vary', 'Accept')
    if (!wantsHtml(request)) throw notFound()
    reply.code(404).headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    return hint
  },
}

const hint = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Trellis</title>
<style>body { font: 1rem/1.5 sans-serif; margin: 3rem auto; max-width: 40rem; padding: 0 1rem }</style>
<h1>This is a Trellis server</h1>
<p>GraphQL is at <a href="v1/graphql">v1/graphql</a>.</p>
<p>The console is off because the server has an admin secret. To turn it on, start the server with
<code>--enable-console</code>; for GraphiQL, a page to try GraphQL requests, with <code>--enable-graphiql</code>.</p>
</html>
`

async function pageTemplate(): Promise<string> {
  const bytes = (await loadAssets()).get('index.html')
  if (!bytes) throw notFound()
  return (await new Gzipped(bytes).unpacked()).toString()
}

/** A file of the page. The name of each but the licences tells its content. */
export const assetRoute: Route = {
  method: 'GET',
  url: '/graphiql/assets/:file',
  auth: 'none',
  about: { summary: 'A file of GraphiQL.', contentType: 'text/javascript' },
  async handle(call) {
    const { file: name = '' } = call.request.params
    const gzipped = (await loadAssets()).get(name)
    return browserFile(call, { name, gzipped, isImmutable: /-[A-Z0-9]{8}\./.test(name) })
  },
}

/**
 * The header `content-security-policy`: the page may run its own scripts and ask its own server, and nothing else. Style
 * attributes have to be allowed, since Monaco writes lines of text with them. The style elements of Monaco and React's
 * libraries carry a nonce. Fonts and small pictures are in the style sheet.
 */
const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "connect-src 'self'",
    `style-src-elem 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    'font-src data:',
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
