// Checks of the server: who may ask it, over which connection, and within which limits.

import { isJsonObject } from '../../core/json/json.ts'
import { problemsOf } from '../target/answers.ts'
import type { Check, Examined } from './check.ts'

/** Characters below which an admin secret can be guessed. */
const shortestSecret = 16

/** Endpoints that tell something about the server; a server has those of its open APIs. */
const tellingPaths = ['/v1/metrics', '/v1alpha1/config', '/dev/plan_cache', '/api/openapi.json', '/console'] as const

const secretName = /authorization|secret|token|password|api-?key|cookie/i

/** The places of headers whose secret is a text in the metadata. */
function secretsIn(value: unknown, place: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => secretsIn(item, `${place}[${labelOf(item) ?? at}]`))
  if (!isJsonObject(value)) return []
  const { name, value: text } = value
  const isOpen =
    typeof name === 'string' && typeof text === 'string' && secretName.test(name) && !/\{\{.*\}\}/.test(text)
  const inner = Object.entries(value).flatMap(([key, each]) => secretsIn(each, place === '' ? key : `${place}.${key}`))
  return isOpen ? [`${place} has the secret of the header ${name} as text`, ...inner] : inner
}

const labelOf = (item: unknown): string | null =>
  isJsonObject(item) && typeof item['name'] === 'string' ? item['name'] : null

/** Addresses of this machine and of private networks, and names of one label. */
const nearHost =
  /^(?:[^.:]+|127\..*|10\..*|192\.168\..*|172\.(?:1[6-9]|2\d|3[01])\..*|\[::1\]|\[f[cd].*\]|.*\.localhost)$/

/** Whether roles other than the administrator have permissions. */
const hasRoles = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(hasRoles)
    : isJsonObject(value) &&
      Object.entries(value).some(
        ([key, each]) => (/permissions$/.test(key) && Array.isArray(each) && each.length > 0) || hasRoles(each),
      )

/** The options of a plugin, as the server reports them. */
function optionsOf({ config }: Examined, plugin: string): Readonly<Record<string, unknown>> {
  const plugins = Array.isArray(config['plugins']) ? config['plugins'] : []
  const found = plugins.find((each) => isJsonObject(each) && each['name'] === plugin)
  return isJsonObject(found?.options) ? found.options : {}
}

export const serverChecks: readonly Check[] = [
  {
    name: 'admin secret',
    finds: 'a server that needs no secret',
    why: 'every caller is an administrator',
    remedy: 'set SERVICE_GRAPHQL_ADMIN_SECRET_FILE',
    async run({ target }) {
      if (target.databaseUrl !== null) return []
      const answer = await target.askWithoutSecret('/v1/query', { type: 'export_metadata', args: {} })
      return answer.status === 200 ? ['the server has no admin secret'] : []
    },
  },
  {
    name: 'secrets',
    finds: 'short secrets, and secrets that stand in the metadata',
    why: 'a secret is guessed when it is short, and read by every reader of the metadata when it stands there',
    remedy: 'use 32 random characters, and value_from_env for headers',
    async run({ target, document }) {
      const length = target.secretLength
      const short = length !== null && length < shortestSecret ? [`the admin secret has ${length} characters`] : []
      return [...short, ...secretsIn(document, '')]
    },
  },
  {
    name: 'ports',
    finds: 'metrics, configuration and pages of developers that answer without a secret',
    why: 'strangers learn about the server',
    remedy: 'close these APIs with --enabled-apis, or set their secret; --metrics-port serves metrics elsewhere',
    async run({ target }) {
      if (target.databaseUrl !== null) return []
      const isOpen = await target.askWithoutSecret('/v1/query', { type: 'export_metadata', args: {} })
      if (isOpen.status === 200) return []
      const findings: string[] = []
      for (const path of tellingPaths) {
        if ((await target.askWithoutSecret(path)).status === 200) findings.push(`GET ${path} answers everybody`)
      }
      return findings
    },
  },
  {
    name: 'encryption',
    finds: 'connections beyond private networks without TLS',
    why: 'secrets and rows can be read and changed on the way',
    remedy: 'use https for the server, and sslmode=verify-full for the database',
    async run({ target, column }) {
      const { endpoint } = target
      const isPlain = endpoint !== null && endpoint.protocol === 'http:' && !nearHost.test(endpoint.hostname)
      const database = await column(`
        select format('the connection to the database at %s is not encrypted', host(inet_server_addr()))
          from pg_stat_ssl
         where pid = pg_backend_pid() and not ssl and inet_server_addr() is not null
           and not (inet_server_addr() <<= any ('{127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7}'::inet[]))`)
      return [...(isPlain ? [`${endpoint.origin} is not encrypted`] : []), ...database]
    },
  },
  {
    name: 'metadata',
    finds: 'inconsistent objects',
    why: 'these objects are not served',
    remedy: 'correct them, or remove them with trellis metadata problems --drop',
    async run({ target }) {
      const answer = await target.run({ type: 'get_inconsistent_metadata', args: {} })
      return problemsOf(isJsonObject(answer) ? answer['inconsistent_objects'] : answer)
    },
  },
  {
    name: 'limits',
    finds: 'roles without limits on requests',
    why: 'one client of a role may ask for as much as the server can give',
    remedy: 'set depth, time and rate with --api-limits or set_api_limits',
    async run(examined) {
      const { document } = examined
      const isLimited = document['api_limits'] !== undefined || Boolean(optionsOf(examined, 'limits')['apiLimits'])
      return isLimited || !hasRoles(document) ? [] : ['requests of roles have no limits']
    },
  },
]
