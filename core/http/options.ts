// The options of the HTTP server.

import type { AuthSettings } from '../auth/options.ts'
import type { DialectName } from '../names/dialect.ts'
import type { InterfaceName } from '../names/version.ts'
import { flagOnly, list, text, trueOrFalse, whole } from '../options/option-kinds.ts'
import type { SettingsOf } from '../options/option-values.ts'

/** `*`, or the value of an Origin header, where the first label of the host may be a wildcard. Apps have schemes of their own. */
const corsDomain = /^(\*|[a-z][a-z0-9+.-]*:\/\/(\*\.)?[^\s/:*,]+(:\d+)?)$/

/** Refuses a text that browsers never send as an `Origin`. */
function checkCorsDomains(domains: readonly string[]): string | null {
  const bad = domains.find((domain) => !corsDomain.test(domain))
  const expected = 'All domains should have scheme + (optional wildcard) host + (optional port)'
  return bad === undefined ? null : `invalid domain: '${bad}'. ${expected}`
}

/** A property's name is the option's key in the configuration file. */
export const httpOptions = {
  serverPort: whole(
    8080,
    { minimum: 0, maximum: 65535 },
    {
      flag: 'server-port',
      variable: 'SERVER_PORT',
      placeholder: 'N',
      description: 'port to listen on; 0 takes a free one',
    },
  ),
  serverHost: text({
    flag: 'server-host',
    variable: 'SERVER_HOST',
    placeholder: 'HOST',
    description: 'address to listen on; * means all interfaces. Default: * with an admin secret, localhost without one',
  }),
  maxBodySize: whole(
    20_971_520,
    { minimum: 1024 },
    {
      flag: 'max-body-size',
      variable: 'MAX_BODY_SIZE',
      placeholder: 'BYTES',
      description: 'largest accepted request body',
    },
  ),
  maxTotalHeaderLength: whole(
    16_384,
    { minimum: 1024, maximum: 16_777_216 },
    {
      flag: 'max-total-header-length',
      variable: 'MAX_TOTAL_HEADER_LENGTH',
      placeholder: 'BYTES',
      description: 'largest accepted headers of a request, all together',
    },
  ),
  trustedProxies: whole(
    0,
    { minimum: 0, maximum: 100 },
    {
      flag: 'trusted-proxies',
      variable: 'TRUSTED_PROXIES',
      placeholder: 'N',
      description: 'number of proxies in front of the server that add to X-Forwarded-For; used for limits by address',
    },
  ),
  requestReadTimeout: whole(
    300,
    { minimum: 1 },
    {
      flag: 'request-read-timeout',
      variable: 'REQUEST_READ_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'time for a whole request to arrive; its headers have at most 60 seconds',
    },
  ),
  responseStallTimeout: whole(
    60,
    { minimum: 1 },
    {
      flag: 'response-stall-timeout',
      variable: 'RESPONSE_STALL_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'time after which a client that reads nothing of its response is disconnected',
    },
  ),
  responseSendTimeout: whole(
    600,
    { minimum: 1 },
    {
      flag: 'response-send-timeout',
      variable: 'RESPONSE_SEND_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'time for a client to read its whole response; after it the client is disconnected',
    },
  ),
  shutdownDelay: whole(
    0,
    { minimum: 0, maximum: 3600 },
    {
      flag: 'shutdown-delay',
      variable: 'SHUTDOWN_DELAY',
      placeholder: 'SECONDS',
      description:
        'time to go on serving after SIGTERM while /readyz answers 503, so that proxies send requests elsewhere',
    },
  ),
  gracefulShutdownTimeout: whole(
    30,
    { minimum: 0, maximum: 86_400 },
    {
      flag: 'graceful-shutdown-timeout',
      variable: 'GRACEFUL_SHUTDOWN_TIMEOUT',
      placeholder: 'SECONDS',
      description: 'time for requests in flight to end when the server stops',
    },
  ),
  corsDomain: list(['*'], {
    flag: 'cors-domain',
    variable: 'CORS_DOMAIN',
    placeholder: 'ORIGINS',
    check: checkCorsDomains,
    description: 'origins that browsers may call from: *, or scheme://host[:port] where the first label may be *',
  }),
  disableCors: flagOnly({
    flag: 'disable-cors',
    variable: 'DISABLE_CORS',
    description: 'refuse cross-origin requests of browsers',
  }),
  devMode: flagOnly({
    flag: 'dev-mode',
    variable: 'DEV_MODE',
    description: 'show the internals of errors to every role',
  }),
  adminInternalErrors: trueOrFalse(true, {
    flag: 'admin-internal-errors',
    variable: 'ADMIN_INTERNAL_ERRORS',
    description: 'show the internals of errors to the role admin',
  }),
}

/** The values of these options. */
export type HttpSettings = SettingsOf<typeof httpOptions>

/** The settings of the HTTP server, together with those of authentication, the dialect and the interface. */
export type ServerSettings = HttpSettings &
  AuthSettings & { readonly dialect: DialectName; readonly graphqlInterface: InterfaceName }
