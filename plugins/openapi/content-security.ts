// What a page may do: run the script and wear the style that are in it, ask its own server, and nothing else.

import { createHash } from 'node:crypto'

const digests = (page: string, tag: string): string =>
  [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))]
    .map(([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`)
    .join(' ')

/** The value of the header `content-security-policy` for a page whose script and style stand in it. */
export const contentSecurityPolicy = (page: string): string =>
  [
    "default-src 'none'",
    `script-src ${digests(page, 'script')}`,
    `style-src ${digests(page, 'style')}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
