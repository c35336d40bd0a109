// For plugins with endpoints, and such that say who asks: routes, answers, authentication.

export type { Authenticator } from '../core/auth/auth.ts'
export {
  assumedSession,
  headerText,
  type RequestHeaders,
  trustedSession,
  untrustedSession,
} from '../core/auth/headers.ts'
export { AdminSecrets, secretsRefusal } from '../core/auth/secrets.ts'
export type { Admission, Applicant } from '../core/engine/admission.ts'
export type { ErrorEncoder, FailureDescription, Route, RouteCall, RouteDescription } from '../core/engine/plugin.ts'
export { inDialect } from '../core/http/answer.ts'
export { readJson } from '../core/http/body.ts'
export { departureOf } from '../core/http/departure.ts'
export { type OwnPort, serveOnOwnPort } from '../core/http/own-port.ts'
export { applicantOf } from '../core/http/route.ts'
