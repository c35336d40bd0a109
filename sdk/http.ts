// For plugins with endpoints, and such that say who asks: routes, answers, authentication.

export type { Applicant } from '../core/auth/applicant.ts'
export type { Authenticator, AuthService } from '../core/auth/auth.ts'
export {
  assumedSession,
  headerText,
  type RequestHeaders,
  trustedSession,
  untrustedSession,
} from '../core/auth/headers.ts'
export { hasAdminSecret } from '../core/auth/option-rules.ts'
export { secretCheck, secretsRefusal } from '../core/auth/secrets.ts'
export type { Admission } from '../core/engine/admission.ts'
export { inDialect } from '../core/http/answer.ts'
export { readJson } from '../core/http/body.ts'
export { Gzipped } from '../core/http/compression.ts'
export { type CorsPolicy, corsPolicy, type OriginCheck } from '../core/http/cors.ts'
export type {
  ErrorAnswer,
  ErrorEncoder,
  FailureDescription,
  Route,
  RouteCall,
  RouteDescription,
  RouteRequest,
  RouteUrl,
} from '../core/http/declared-route.ts'
export { departureOf } from '../core/http/departure.ts'
export type { Exchange } from '../core/http/exchange.ts'
export { isSameOrigin } from '../core/http/hosts.ts'
export { type OwnPort, type OwnPortContext, serveOnOwnPort } from '../core/http/own-port.ts'
export { applicantOf } from '../core/http/route.ts'
