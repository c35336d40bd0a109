// Servers at a URL. Their introspections are fetched and stored; while a server is down, the stored one is served.

import { badRequest } from '../../../sdk/index.ts'
import { configuredHeaders } from '../../../sdk/services.ts'
import { fetchIntrospection } from '../types/introspect.ts'
import { remoteUrl, shownUrl, subscriptionUrl } from './address.ts'
import { type HttpServices, httpTransport, timeoutOf } from './http.ts'
import type { ServerKind } from './kinds.ts'

/** The kind of servers that are reached over HTTP. */
export const httpKind = (services: HttpServices): ServerKind => ({
  key: null,
  request: ({ url, url_from_env, headers, timeout_seconds }) => ({
    ...(url !== undefined && { url }),
    ...(url_from_env !== undefined && { url_from_env }),
    ...(headers && { headers }),
    ...(timeout_seconds !== undefined && { timeout_seconds }),
  }),
  fetch(definition, signal, context) {
    const environment = (name: string) => context.environment(name)
    const url = remoteUrl(definition, environment)
    const headers = { accept: 'application/json', ...configuredHeaders(definition.headers ?? [], environment) }
    const timeout = timeoutOf(definition)
    const ask = (body: string) => services.outgoing.send({ method: 'POST', url, headers, body, timeout, signal })
    return fetchIntrospection(ask, shownUrl(definition))
  },
  resolve({ name, definition }, context) {
    const environment = (variable: string) => context.environment(variable)
    const urls = { url: remoteUrl(definition, environment), subscriptionUrl: subscriptionUrl(definition, environment) }
    const source = context.source()
    if (source.kind === 'failure') throw badRequest('remote-schema-error', source.reason)
    if (source.trouble !== null) context.report(source.trouble)
    return {
      introspection: source.value as object,
      transport: httpTransport({ name, definition, ...urls }, services),
    }
  },
})
