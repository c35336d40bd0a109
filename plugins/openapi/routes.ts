// The OpenAPI document of the server, and a page that shows it.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Route } from '../../sdk/http.ts'
import type { Engine } from '../../sdk/index.ts'
import type { Model } from '../../sdk/metadata.ts'
import { openApiDocument } from './document.ts'

/** The document; administrators only, like most of its endpoints. */
export function documentRoute(engine: Engine): Route {
  // Registrations do not change once requests arrive, but some routes describe the served model.
  const documents = new WeakMap<Model, Buffer>()
  return {
    method: 'GET',
    url: '/api/openapi.json',
    auth: 'admin',
    about: { summary: 'This document.' },
    handle() {
      const { model } = engine
      const document = documents.get(model) ?? Buffer.from(JSON.stringify(openApiDocument(engine)))
      documents.set(model, document)
      return document
    },
  }
}

/**
 * The page that shows the document. It tells nothing itself and so is open to browsers, which cannot send the admin
 * secret along: it asks for the secret and fetches the document with it.
 */
export function pageRoute({ dialect }: Pick<Engine, 'dialect'>): Route {
  const template = readFileSync(new URL('page.html', import.meta.url), 'utf8')
  const page = Buffer.from(template.replace('{adminSecretHeader}', dialect.adminSecretHeader))
  const policy = contentSecurityPolicy(page.toString())
  return {
    method: 'GET',
    url: '/api/openapi',
    auth: 'none',
    about: { summary: 'A page that shows this document.', contentType: 'text/html' },
    handle({ reply }) {
      reply.header('content-type', 'text/html; charset=utf-8')
      reply.header('content-security-policy', policy)
      reply.header('referrer-policy', 'no-referrer')
      reply.header('x-content-type-options', 'nosniff')
      return page
    },
  }
}

const digests = (page: string, tag: string): string =>
  [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))]
    .map(([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`)
    .join(' ')

/** The value of the header `content-security-policy` for a page with inline script and style. */
const contentSecurityPolicy = (page: string): string =>
  [
    "default-src 'none'",
    `script-src ${digests(page, 'script')}`,
    `style-src ${digests(page, 'style')}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
