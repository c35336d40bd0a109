// For plugins with endpoints, and such that say who asks: routes, answers, authentication.

export type { Authenticator } from '../core/auth/auth.ts'
export {
  assumedSession,
  headerText,
  type RequestHeaders,
  trustedSession,
  untrustedSession,
} from '../core/auth/headers.ts'
export { AdminSecrets } from '../core/auth/secrets.ts'
export { Admission, type AdmissionChecks, type Applicant } from '../core/engine/admission.ts'
export { inDialect } from '../core/http/answer.ts'
export { readJson } from '../core/http/body.ts'
export { type CorsPolicy, corsPolicy } from '../core/http/cors.ts'
export type {
  ErrorEncoder,
  FailureDescription,
  Route,
  RouteCall,
  RouteDescription,
} from '../core/http/declared-route.ts'
export { departureOf } from '../core/http/departure.ts'
export { isSameOrigin } from '../core/http/hosts.ts'
export { listen } from '../core/http/listen.ts'
export { applicantOf } from '../core/http/route.ts'
export { createHttp, mountRoute, takeBodiesAsBytes } from '../core/http/server.ts'
